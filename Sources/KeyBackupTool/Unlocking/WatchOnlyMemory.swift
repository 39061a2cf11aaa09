internal import BackupFolder
internal import CSPP

/// Which wallets of a backup cannot be spent from, as this computer saw when it
/// last opened them: what `status` can say without a key.
///
/// Only record IDs, one a line; that it cannot be kept is no error.
struct WatchOnlyMemory {
  private let folder: String?
  private let namespace: NamespaceID

  /// A million wallets.
  private static let fileLimit = 65 << 20

  init(_ namespace: NamespaceID, _ world: World) {
    folder = world.stateFolder.map { $0 + "/watch-only" }
    self.namespace = namespace
  }

  /// The records; nil: none of the backup was ever opened here.
  var records: Set<RecordID>? {
    guard let folder,
      let text = ForeignFile.text("\(folder)/\(namespace.hex)", limit: Self.fileLimit)
    else { return nil }
    return Set(text.split(separator: "\n").compactMap { RecordID(hex: String($0)) })
  }

  /// Keeps what all wallets of the backup showed.
  func keep(_ records: Set<RecordID>) {
    guard let folder, records != self.records ?? [] else { return }
    let text = records.map { $0.hex + "\n" }.sorted().joined()
    try? PrivateFolder.replace(Array(text.utf8), as: namespace.hex, in: folder)
  }

  /// Keeps what a change of the backup did.
  func keep(adding new: Set<RecordID>, removing old: Set<RecordID> = []) {
    keep((records ?? []).union(new).subtracting(old))
  }
}
