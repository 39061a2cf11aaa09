import BackupFolder
import CSPP

/// A computer in a history with files, and what only the oracle knows of it.
final class Machine {
  /// What its user may do.
  enum Role {
    /// Opens the backup with the key.
    case keyed
    /// Writes without the key.
    case silent
    /// Has the disk of a silent computer.
    case thief
    /// Has a master key that was given up.
    case former
  }

  let computer: Computer
  let role: Role
  /// The error of its clock in seconds.
  var clock = 0
  /// The versions that it wrote last, by the names of its files.
  var last: [String: Digest] = [:]
  /// The texts that it tried to write last, by the names of its files.
  var texts: [String: String] = [:]
  /// The number of runs in which it has seen a version replaced.
  var replacedRuns: [Digest: Int] = [:]
  /// Whether its folder was set back, so that files it knew are missing.
  var isSetBack = false
  /// The changes for which the computer whose disk a thief has was authorised.
  var may: SilentWriter.Permissions = []
  /// An earlier state of its disk.
  var backup: Disks?

  /// A computer's disk at one moment.
  struct Disks {
    let state: [String: [UInt8]]
    let replica: [String: Replica.Version]
    let last: [String: Digest]
    let texts: [String: String]
  }

  init(_ computer: Computer, _ role: Role) {
    self.computer = computer
    self.role = role
  }

  var name: String { computer.name }
  var replica: Replica { computer.replica }

  /// Another computer with the same disk.
  func clone(name: String, _ role: Role, base: String) -> Machine {
    let copy = Machine(
      computer.clone(
        name: name, folder: "\(base)/replica-\(name)", state: "\(base)/state-\(name)"), role)
    copy.last = last
    copy.texts = texts
    copy.clock = clock
    return copy
  }

  /// Keeps the disk as it is now.
  func keepDisk() {
    backup = Disks(
      state: Disk.files(computer.state), replica: replica.versions, last: last, texts: texts)
  }

  /// Puts the state back to the kept disk.
  func restoreState() {
    guard let backup else { return }
    Disk.remove(computer.state)
    for (path, bytes) in backup.state { Disk.write(bytes, to: "\(computer.state)/\(path)") }
    last = backup.last
    texts = backup.texts
  }

  /// The versions of a file that the state of the silent writers here names as the last ones.
  func rememberedVersions(of name: String) -> Set<Digest> {
    let hex = name.utf8.map { String($0, radix: 16) }.joined()
    var found: Set<Digest> = []
    for (path, bytes) in Disk.files(computer.state) where path.hasSuffix(".writer") {
      for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
        let words = line.split(separator: " ").map(String.init)
        guard words.first == "file", words.count > 6, words[6] == hex else { continue }
        if let version = Digest(hex: words[2]) { found.insert(version) }
      }
    }
    return found
  }

  /// The operations whose files are whole here, by the digits in their names.
  var operations: Set<Substring> {
    Set(
      replica.versions.filter { $0.value.content?.bytes.isEmpty == false }.keys
        .filter { replica.partial[$0] == nil }.compactMap { FilePath.operation($0) })
  }
}

/// The names of files in a backup folder.
enum FilePath {
  /// The digits by which an operation's file is called; nil for other files.
  static func operation(_ path: String) -> Substring? {
    guard path.contains("/keybackup/"), path.hasSuffix(".json"), !path.contains("/.keybackup-tmp"),
      path.contains("/log/") || path.contains("/sealed/")
    else { return nil }
    return path.dropLast(5).suffix(32)
  }

  static func isSealed(_ path: String) -> Bool {
    path.contains("/keybackup/sealed/") && operation(path) != nil
  }

  static func isObject(_ path: String) -> Bool {
    path.contains("/keybackup/objects/") && path.hasSuffix(".bin")
  }
}

extension Digest {
  /// The digits by which an operation's file is called.
  var stem: Substring { Substring(hex.prefix(32)) }
}
