internal import BackupFolder
package import CSPP
package import CommandKit
internal import SyncFolders

/// The wallets of a backup that cannot spend, as this computer saw them when it last opened them.
///
/// `status` uses this without a key. The file has only record IDs, one per line. A failure to store
/// it is no error.
package struct WatchOnlyMemory {
  private let folder: String?
  private let namespace: NamespaceID

  /// The size limit, which allows a million wallets.
  private static let fileLimit = 65 << 20

  package init(_ namespace: NamespaceID, _ world: World) {
    folder = world.stateFolder.map { $0 + "/watch-only" }
    self.namespace = namespace
  }

  /// The records; nil if the backup was never opened here.
  package var records: Set<RecordID>? {
    guard let folder,
      let text = ForeignFile.text("\(folder)/\(namespace.hex)", limit: Self.fileLimit)
    else { return nil }
    return Self.records(in: text)
  }

  private static func records(in text: String) -> Set<RecordID> {
    Set(text.split(separator: "\n").compactMap { RecordID(hex: String($0)) })
  }

  private static func bytes(_ records: Set<RecordID>) -> [UInt8] {
    Array(records.map { $0.hex + "\n" }.sorted().joined().utf8)
  }

  /// Stores the result of reading all wallets of the backup.
  package func keep(_ records: Set<RecordID>) {
    guard let folder, records != self.records ?? [] else { return }
    try? PrivateFolder.replace(Self.bytes(records), as: namespace.hex, in: folder)
  }

  /// Stores the result of a change to the backup.
  package func keep(adding new: Set<RecordID>, removing old: Set<RecordID> = []) {
    guard let folder, !new.isEmpty || !old.isEmpty else { return }
    try? PrivateFolder.update(namespace.hex, in: folder, limit: Self.fileLimit) { known in
      let before = Self.records(in: String(decoding: known ?? [], as: UTF8.self))
      let after = before.union(new).subtracting(old)
      return after == before ? nil : Self.bytes(after)
    }
  }
}
