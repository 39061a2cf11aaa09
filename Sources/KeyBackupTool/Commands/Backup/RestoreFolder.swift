internal import BackupFolder
internal import CommandSupport
internal import Glibc
internal import SecretMemory

/// The folder that restored entries are written to: private, and nothing in it
/// is ever overwritten.
///
/// A file that holds the entry already counts as written, so that an interrupted
/// restore can be repeated.
struct RestoreFolder: ~Copyable {
  private let descriptor: Int32
  private let path: String
  /// Whether the folder was not there before.
  let isMade: Bool
  private var files: PrivateFolder
  private var inTheWay: [String] = []
  /// Whether another file has the name of the explanation.
  private(set) var hasOtherExplanation = false

  /// Makes the folder, or takes an existing one.
  ///
  /// - Throws: `cannot-create`.
  init(path: String) throws(UserMessage) {
    if let advice = FileCheck.unexpanded(path) {
      throw UserMessage(
        .cannotCreate, "the folder \(ShellWord.quoted(path)) cannot be made", hint: advice)
    }
    let problem = unsafe mkdir(path, 0o700) == 0 ? 0 : errno
    if problem != 0, problem != EEXIST {
      throw UserMessage(
        .cannotCreate,
        "the folder \(ShellWord.quoted(path)) cannot be made: \(systemText(problem))",
        hint: "choose another place for --out")
    }
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let reason = errno
      throw UserMessage(
        .cannotCreate, "\(ShellWord.quoted(path)) cannot be used: \(systemText(reason))",
        hint: "choose another place for --out")
    }
    do throws(BackupFolderError) {
      files = try PrivateFolder(path: path)
    } catch {
      close(descriptor)
      throw UserMessage(error)
    }
    self.descriptor = descriptor
    self.path = path
    isMade = problem == 0
  }

  deinit { close(descriptor) }

  /// Writes one version.
  ///
  /// - Parameters:
  ///   - entry: its bytes.
  ///   - name: what the file is called.
  /// - Returns: whether the file holds them; not where another file has the name.
  /// - Throws: `cannot-create`, `io`. Another file of that name does not stop
  ///   the rest: ``obstacle(_:others:)`` tells about it at the end.
  mutating func write(
    _ entry: borrowing SecretBytes, as name: String
  ) throws(UserMessage) -> Bool {
    switch holds(entry, name) {
    case true: return true
    case false:
      inTheWay.append(name)
      return false
    case nil:
      do throws(BackupFolderError) {
        try files.write(entry, as: name)
      } catch .permissionDenied {
        throw UserMessage(
          .cannotCreate,
          "\(ShellWord.quoted("\(path)/\(name)")) cannot be created: \(systemText(EACCES))",
          hint: "choose another place for --out")
      } catch {
        throw UserMessage(error)
      }
      return true
    }
  }

  /// Writes what tells a person which file is which.
  ///
  /// - Parameter text: holds no secret.
  /// - Throws: as ``write(_:as:)``.
  mutating func explain(_ text: String) throws(UserMessage) {
    let bytes = unsafe SecretBytes(copying: Array(text.utf8).span.bytes)
    let others = inTheWay.count
    hasOtherExplanation = try !write(bytes, as: RestoredFiles.explanationName)
    inTheWay.removeLast(inTheWay.count - others)
  }

  /// The error about files that have a wallet's name and other content.
  ///
  /// - Parameters:
  ///   - code: the exit code for everything else.
  ///   - others: how many other wallets could not be read.
  /// - Returns: the error, or nil.
  func obstacle(_ code: ExitCode, others: Int) -> UserMessage? {
    guard let first = inTheWay.first else { return nil }
    let names = inTheWay.count == 1 ? "\(first) is" : "\(inTheWay.count) files, \(first) first, are"
    let rest =
      others == 0
      ? "all other wallets were written"
      : "\(counted(others, "other wallet")) could not be read"
    return UserMessage(
      .mostUrgent(of: [code, .cannotCreate]),
      "\(names) in \(ShellWord.quoted(path)) already, with other contents",
      hint: "nothing was overwritten, and \(rest); to get all of them, restore into an empty folder"
    )
  }

  /// Whether the file holds exactly the entry; nil when there is none.
  private borrowing func holds(_ entry: borrowing SecretBytes, _ name: String) -> Bool? {
    var status = stat()
    guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size == entry.count,
      let present = try? InputFile.readFile(name, in: descriptor, limit: entry.count)
    else { return false }
    return present.isEqual(to: entry)
  }

  /// Waits until everything written is on the disk and has its name.
  mutating func synchronize() throws(UserMessage) {
    do throws(BackupFolderError) {
      try files.place()
    } catch {
      throw UserMessage(error)
    }
    let taken = files.taken
    inTheWay += taken.filter { $0 != RestoredFiles.explanationName }
    if taken.contains(RestoredFiles.explanationName) { hasOtherExplanation = true }
  }
}
