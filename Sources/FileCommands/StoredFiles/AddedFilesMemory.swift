internal import BackupFolder
internal import CLinux
internal import CSPP
internal import CommandKit
internal import CommandSupport
internal import FoundationEssentials
internal import Glibc
internal import SyncFolders

/// The paths from which this computer added files, by the files' IDs.
///
/// So two files of one name do not become versions of one file, and a computer knows its own files
/// whatever its name is. A file keeps its ID when the master key is rotated. A failure to store it is
/// no error.
struct AddedFilesMemory {
  private let folder: String?
  private var paths: [String: String] = [:]
  /// The path of the list if it is there and is no list; nil: it is one, or there is none.
  private(set) var unreadable: String?

  private static let name = "paths.json"

  private static let fileLimit = 16 << 20

  init(_ world: World) {
    folder = world.stateFolder.map { $0 + "/added-files" }
    if let known = read() {
      paths = known
    } else {
      unreadable = folder.map { "\($0)/\(Self.name)" }
    }
  }

  /// The list; nil if it is there and cannot be read.
  private func read() -> [String: String]? {
    guard let folder else { return [:] }
    let path = "\(folder)/\(Self.name)"
    guard let text = ForeignFile.text(path, limit: Self.fileLimit) else {
      return unsafe access(path, F_OK) == 0 ? nil : [:]
    }
    return Self.list(Array(text.utf8))
  }

  private static func list(_ bytes: [UInt8]) -> [String: String]? {
    try? JSONDecoder().decode([String: String].self, from: Data(bytes))
  }

  /// Whether this computer has added the file.
  func knows(_ file: FileID) -> Bool { paths[file.hex] != nil }

  /// The ID of a file that this computer has added from a path, as digits.
  func file(at path: String) -> String? {
    guard let place = Self.place(path).map(NameBytes.init) else { return nil }
    return paths.filter { NameBytes($0.value) == place }.keys.min()
  }

  /// Throws where a file of the backup was added from another path, and the file there is another
  /// one that still exists.
  ///
  /// A path whose file system does not answer counts as gone, so that the file is backed up.
  ///
  /// - Parameters:
  ///   - path: the path now; `-` stands for no path.
  ///   - name: the name in the backup.
  ///   - file: the file of that name; nil: there is none.
  ///   - mayReplace: whether the command has `--replace`.
  /// - Throws: `usage`, `interrupted`.
  func requireSame(
    _ path: String, _ name: PathComponent, as file: FileID?, mayReplace: Bool = true
  ) throws(UserMessage) {
    // Earlier programs remembered the path without its links.
    guard let file, let known = paths[file.hex], let place = Self.place(path),
      ![place, FileCheck.future(path) ?? place].map(NameBytes.init).contains(NameBytes(known))
    else { return }
    var answers = FolderAnswers()
    let end = ContinuousClock.now + .seconds(10)
    let isHeard = answers.come(from: known) {
      !Interruption.received && ContinuousClock.now < end
    }
    try Interruption.check()
    var (old, new) = (stat(), stat())
    guard isHeard, unsafe stat(known, &old) == 0, unsafe stat(place, &new) == 0,
      old.st_ino != new.st_ino || old.st_dev != new.st_dev
    else { return }
    throw UserMessage(
      .usage,
      "\"\(PrintableText.name(name.text))\" is the name of \(ShellWord.quoted(known)) in the backup",
      hint: "for a file of its own, give this one another name: --name NAME\n"
        + (mayReplace
          ? "if it takes the place of that file, add --replace"
          : "if it takes the place of that file, run once: keybackup file add --replace "
            + ShellWord.quoted(path)))
  }

  /// Remembers the path of a file that was added.
  mutating func keep(_ file: FileID, from path: String) {
    let place = Self.place(path) ?? ""
    // Standard input has none, and the file is known all the same.
    let known = paths[file.hex]
    guard let folder, known.map(NameBytes.init) != NameBytes(place), !place.isEmpty || known == nil
    else { return }
    paths[file.hex] = place
    try? PrivateFolder.update(Self.name, in: folder, limit: Self.fileLimit) { known in
      // Another run may have remembered something meanwhile.
      paths.merge(known.flatMap(Self.list) ?? [:]) { $1 }
      paths[file.hex] = place
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return (try? encoder.encode(paths)).map { Array($0) }
    }
  }

  private static func place(_ path: String) -> String? {
    path == "-" ? nil : FileCheck.unresolved(path)
  }
}
