import BackupFolder
import CSPP
import SecretMemory

/// A computer: its copy of the folder, the program's state outside it, and the operations it has
/// really seen, which only the oracle knows.
final class Computer {
  let name: String
  let replica: Replica
  let state: String
  /// The operations that this computer's program opened and must remember.
  var seen: Set<Digest> = []
  /// The operations that it may or may not remember, because it was killed.
  var perhapsSeen: Set<Digest> = []
  /// Whether the user has accepted the folder here.
  var hasAccepted = false

  init(name: String, replica: Replica, state: String) {
    self.name = name
    self.replica = replica
    self.state = state
  }

  /// Creates a second computer with everything that this one has.
  func clone(name: String, folder: String, state: String) -> Computer {
    let copy = Replica(folder: folder)
    copy.replace(with: replica.versions)
    copy.partial = replica.partial
    for path in copy.partial.keys { copy.show(path) }
    copy.pending = replica.pending
    for (path, bytes) in Disk.files(self.state) {
      // The state is stored by the folder's path.
      let moved = path.split(separator: "/").map { part in
        part == Self.key(replica.folder) ? Self.key(folder) : String(part)
      }
      Disk.write(bytes, to: "\(state)/\(moved.joined(separator: "/"))")
    }
    let computer = Computer(name: name, replica: copy, state: state)
    computer.seen = seen
    computer.perhapsSeen = perhapsSeen
    computer.hasAccepted = hasAccepted
    return computer
  }

  /// The name of a backup folder in the state folder.
  private static func key(_ folder: String) -> String {
    String(Digest(of: Array(folder.utf8).span).hex.prefix(32))
  }

  func folder(time: Int) throws(BackupFolderError) -> BackupFolder {
    try BackupFolder.open(
      path: replica.folder,
      settings: BackupFolder.Settings(
        stateFolder: state, writerLabel: name, clock: { UInt64(1_700_000_000 + time) }))
  }
}

/// The single security key of all computers.
enum SecurityKey {
  static let enrolment = Enrolment(
    label: "key",
    securityKey: KeyHeader.SecurityKey(
      rpID: "keybackup:", credentialID: [1, 2, 3], discoverable: true,
      aaguid: [UInt8](repeating: 9, count: 16), prfSalt: [UInt8](repeating: 5, count: 32)))

  static func prfOutput() -> SecretBytes { secret([UInt8](repeating: 7, count: 32)) }
}
