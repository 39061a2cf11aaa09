internal import BackupFolder
internal import CSPP
internal import ForeignBackups
internal import SecretMemory

/// The files of an archive on their way into the backup.
struct WorldAddition: ~Copyable {
  private var backup: OpenNamespace
  /// The files that this computer added before.
  private let known: FileAddition.Choice
  private var memory: AddedFilesMemory
  private let prefix: String
  private let now: UInt64
  private var names: Set<String> = []
  /// How many files have a new version in the backup now.
  private(set) var added = 0
  /// How many were there already, with the same contents.
  private(set) var unchanged = 0

  /// - Parameters:
  ///   - backup: the open backup.
  ///   - accountID: whose archive it is; its end is in the names.
  ///   - world: the clock, and this computer's name.
  /// - Throws: the errors of reading the backup.
  init(
    to backup: consuming OpenNamespace, of accountID: String, _ world: World
  ) throws(UserMessage) {
    memory = AddedFilesMemory(backup.id, world)
    known = FileAddition.Choice(try backup.allFiles(), backup.writers, memory, world)
    self.backup = backup
    prefix = "world-app-\(accountID.suffix(8))-"
    now = UInt64(max(0, world.now()))
  }

  /// Adds the root secret, then every file.
  ///
  /// - Throws: the errors of writing; what was added before stays.
  mutating func add(_ opened: borrowing OpenedWorld) throws(UserMessage) {
    try add(WorldArchive.rootSecretName, opened.archive.rootSecretText())
    for file in opened.archive.files {
      let contents: SecretBytes
      do throws(ForeignBackupError) {
        contents = try opened.archive.contents(of: file)
      } catch {
        throw UserMessage(error)
      }
      try add(file.path.text, contents)
    }
  }

  private mutating func add(
    _ path: String, _ contents: consuming SecretBytes
  ) throws(UserMessage) {
    try Interruption.check()
    let name = try name(of: path)
    let file = try known.file(name)
    do throws(BackupFolderError) {
      let version = try backup.addFile(
        FileContents(bytes: contents, modified: now, mode: 0o600), name: name, to: file)
      switch version {
      case .unchanged: unchanged += 1
      case .added(let file, _, _):
        memory.keep(file, from: "-")
        added += 1
      }
    } catch {
      throw UserMessage(error).adding(
        hint: "\(counted(added, "file")) \(added == 1 ? "was" : "were") added before")
    }
  }

  /// A name of its own for a path: the backup has no folders.
  private mutating func name(of path: String) throws(UserMessage) -> PathComponent {
    let plain = prefix + path.split(separator: "/").joined(separator: "-")
    let isFree = plain.utf8.count <= PathComponent.byteLimit && !names.contains(plain.lowercased())
    let digest = Hex.string(SHA256.hash(Array(path.utf8)))
    let text = isFree ? plain : prefix + digest
    guard names.insert(text.lowercased()).inserted, let name = PathComponent(text) else {
      throw UserMessage(.internalError, "a fault in keybackup: no name for a file")
    }
    return name
  }
}
