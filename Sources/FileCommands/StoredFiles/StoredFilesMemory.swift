package import BackupFolder
internal import CSPP
package import CommandKit
internal import FoundationEssentials
internal import SyncFolders

/// The files of a backup, and the computers that write without a touch, as this computer saw them
/// when it last opened the backup.
///
/// `status` uses this without a key. It has numbers and the computers' names. A failure to store it
/// is no error.
struct StoredFilesMemory: Codable, Equatable, Sendable {
  /// A computer that writes without a touch.
  struct Computer: Codable, Equatable, Sendable {
    var writerID: String
    var label: String
    var isRetired: Bool
    /// The changes of it that were opened here.
    var operations: Int
  }

  /// The version that this computer wrote last of a file without the key, where it does not count.
  struct PutAside: Codable, Equatable, Sendable {
    var operation: String
    /// Whether no other version counted either.
    var isRemoved: Bool
  }

  /// The time of that look, in Unix seconds.
  var at: Int64
  /// The number of files in each state, by its word.
  var states: [String: Int]
  var heldBackVersions: Int
  /// Late versions beside one that counted; nil: an earlier program did not count them.
  var lateVersions: Int?
  /// The time of the newest version, in Unix seconds.
  var newest: UInt64?
  /// Wallets of such computers that were not in the CSPP files.
  var waitingWallets: Int
  var computers: [Computer]
  /// Such versions by the files' IDs.
  var putAside: [String: PutAside]?
  /// The sentences about files that were empty and had not always been.
  var emptied: [String]?

  init(_ summary: FileSummary, at time: Int64) {
    at = time
    states = Dictionary(
      uniqueKeysWithValues: FileRow.State.allCases.map { ($0.rawValue, summary.count($0)) })
    heldBackVersions = summary.heldBack
    lateVersions = summary.lateVersions
    newest = summary.newest
    waitingWallets = summary.waitingWallets
    emptied = summary.emptied.isEmpty ? nil : summary.emptied
    computers = summary.writers.map { writer in
      Computer(
        writerID: writer.writer.writerID.hex, label: writer.writer.label.text,
        isRetired: writer.isRetired, operations: writer.operations + writer.heldBack)
    }
  }

  /// The put-aside version that this computer wrote last of a file, when the backup was last opened
  /// here.
  func putAside(_ file: FileID?, _ writer: LocalSilentWriter) -> PutAside? {
    guard let file, let last = writer.versions[file], let found = putAside?[file.hex],
      found.operation == last.hex
    else { return nil }
    return found
  }

  /// The put-aside version that this computer wrote last of a file, as it knows from opening the
  /// backup; nil: it counts.
  static func putAside(
    _ name: PathComponent, _ writer: LocalSilentWriter, in folder: BackupFolder, _ world: World
  ) -> PutAside? {
    let next = writer.namespaceID.flatMap { folder.knownSuccessor(of: $0) }
    return (next ?? writer.namespaceID).flatMap { of($0, world) }?
      .putAside(writer.files[name], writer)
  }

  /// Whether a report could have had these numbers: others are a damaged file's.
  private var isPossible: Bool {
    let numbers =
      [heldBackVersions, lateVersions ?? 0, waitingWallets] + states.values
      + computers.map(\.operations)
    return numbers.allSatisfy { (0...1 << 40).contains($0) } && (0...1 << 40).contains(at)
  }

  private static let fileLimit = 4 << 20

  /// The memory of a backup; nil: there is none.
  static func of(_ namespace: NamespaceID, _ world: World) -> StoredFilesMemory? {
    guard let folder = folder(world),
      let text = ForeignFile.text("\(folder)/\(namespace.hex).json", limit: fileLimit)
    else { return nil }
    let found = try? JSONDecoder().decode(StoredFilesMemory.self, from: Data(text.utf8))
    return found.flatMap { $0.isPossible ? $0 : nil }
  }

  /// Stores it.
  func keep(_ namespace: NamespaceID, _ world: World) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    guard let folder = Self.folder(world), let bytes = try? encoder.encode(self) else { return }
    try? PrivateFolder.replace(Array(bytes), as: namespace.hex + ".json", in: folder)
  }

  private static func folder(_ world: World) -> String? {
    world.stateFolder.map { $0 + "/stored-files" }
  }
}

extension OpenNamespace {
  /// Remembers the files as they are now, for a report that needs no key.
  package func rememberFiles(_ world: World) {
    remember(FileSummary(listing: self), world)
  }

  /// Remembers files that were listed.
  package func remember(_ summary: FileSummary, _ world: World) {
    guard summary.problem == nil,
      !summary.isEmpty || StoredFilesMemory.of(id, world) != nil
    else { return }
    var memory = StoredFilesMemory(summary, at: world.now())
    let aside = (try? ownVersionsPutAside()) ?? [:]
    memory.putAside = Dictionary(
      uniqueKeysWithValues: aside.map { file, version in
        (
          file.hex,
          StoredFilesMemory.PutAside(
            operation: version.operation.hex, isRemoved: version.isRemoved)
        )
      })
    memory.keep(id, world)
  }
}
