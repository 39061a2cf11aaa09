internal import BackupFolder
internal import CSPP
package import CommandKit
internal import CommandSupport
internal import Glibc
package import SecretMemory
internal import WalletCommands

/// The folder that restored entries are written to: private, and nothing in it
/// is ever overwritten.
///
/// A file that holds the entry already counts as written, so that an interrupted
/// restore can be repeated.
package struct RestoreFolder: ~Copyable {
  private let descriptor: Int32
  private let path: String
  private let run: Run
  /// Whether the folder was not there before.
  let isMade: Bool
  private var files: PrivateFolder
  private var inTheWay: [String] = []
  /// How many of the names that were taken are in `inTheWay` already.
  private var takenBefore = 0
  /// Files that were there before.
  private var there = 0
  /// The file that was staged last.
  private var lastName: String?
  /// The wallets' files that could not be staged under any name.
  private var unstaged: [RestoredFile] = []
  /// Whether another file has the name of the explanation.
  private(set) var hasOtherExplanation = false

  /// A wallet's file that could not be written.
  package struct Failure {
    let name: String
    /// Whose it is, where that is still known.
    let file: RestoredFile?
    package let message: UserMessage
  }

  /// Makes the folder, or takes an existing one.
  ///
  /// - Throws: `cannot-create`.
  package init(path: String, _ run: Run) throws(UserMessage) {
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
    self.run = run
    isMade = problem == 0
  }

  deinit { close(descriptor) }

  /// Writes one version.
  ///
  /// - Parameters:
  ///   - entry: its bytes.
  ///   - file: what the file is called, and whose it is.
  /// - Returns: the file with the name that it gets; nil where another file has the name, or it could
  ///   not be written. Neither stops the rest: ``obstacle(_:others:)`` and ``failures(_:)`` tell about
  ///   it at the end.
  /// - Throws: why no file can be written any more: `cannot-create`, `io`.
  package mutating func write(
    _ entry: borrowing SecretBytes, as file: RestoredFile
  ) throws(UserMessage) -> RestoredFile? {
    let failures = files.failed.count
    if let name = try write(entry, as: file.names) { return file.named(name) }
    if files.failed.count > failures { unstaged.append(file) }
    return nil
  }

  private mutating func write(
    _ entry: borrowing SecretBytes, as names: [String]
  ) throws(UserMessage) -> String? {
    for name in names where holds(entry, name) == true {
      there += 1
      return name
    }
    if holds(entry, names[0]) != nil {
      inTheWay.append(names[0])
      return nil
    }
    do throws(BackupFolderError) {
      let name = try files.write(entry, as: names)
      lastName = name ?? lastName
      return name
    } catch .permissionDenied {
      throw UserMessage(
        .cannotCreate,
        "\(ShellWord.quoted("\(path)/\(names[0])")) cannot be created: \(systemText(EACCES))",
        hint: "choose another place for --out")
    } catch {
      throw UserMessage(error)
    }
  }

  /// Writes what tells a person which file is which.
  ///
  /// - Parameter text: holds no secret.
  /// - Returns: why it could not be written; nil: it is there, or another file has its name.
  /// - Throws: as ``write(_:as:)``.
  mutating func explain(_ text: String) throws(UserMessage) -> Failure? {
    let bytes = unsafe SecretBytes(copying: Array(text.utf8).span.bytes)
    let (others, before, failures) = (inTheWay.count, there, files.failed.count)
    _ = try write(bytes, as: [RestoredFiles.explanationName])
    hasOtherExplanation = inTheWay.count > others
    inTheWay.removeLast(inTheWay.count - others)
    there = before
    try synchronize()
    return files.failed.dropFirst(failures).first.map {
      Failure(name: $0.name, file: nil, message: UserMessage($0.error))
    }
  }

  /// The wallets' files that could not be written.
  ///
  /// - Parameter staged: the files that were staged; loses those that were not placed.
  /// - Returns: the failures.
  func failures(_ staged: inout RestoredFiles) -> [Failure] {
    files.failed.map { name, error in
      let file = unstaged.first { $0.name == name } ?? staged.remove(name)
      return Failure(name: name, file: file, message: UserMessage(error))
    }
  }

  /// Ends a run early, with all that is staged in place.
  ///
  /// - Parameters:
  ///   - error: why it ends.
  ///   - wallets: how many wallets the backup has.
  ///   - stored: how many files it has.
  /// - Returns: the error, with the number of files that are in the folder, and of those that are not.
  mutating func ending(_ error: UserMessage, of wallets: Int, files stored: Int) -> UserMessage {
    try? files.place()
    let count = there + files.placed
    if error.code == .interrupted { return .interrupted(wallets: count, files: 0, in: path) }
    return error.adding(
      hint:
        "\(counted(count, "wallet")) \(count == 1 ? "is" : "are") in \(ShellWord.quoted(path)); "
        + "\(counted(max(1, wallets - count), "wallet")) and \(counted(stored, "file")) were not written"
    )
  }

  /// The error about files that have a wallet's name and other content.
  ///
  /// - Parameters:
  ///   - code: the exit code for everything else.
  ///   - others: how many other wallets could not be read, or not be written.
  /// - Returns: the error, or nil.
  func obstacle(_ code: ExitReason, others: Int) -> UserMessage? {
    guard let first = inTheWay.first else { return nil }
    let names = inTheWay.count == 1 ? "\(first) is" : "\(inTheWay.count) files, \(first) first, are"
    let rest =
      others == 0
      ? "all other wallets were written"
      : "\(counted(others, "other wallet")) could not be restored"
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
    if let lastName { KeptPermissions.check("\(path)/\(lastName)", at: path, run) }
    let taken = files.taken.dropFirst(takenBefore)
    takenBefore += taken.count
    inTheWay += taken.filter { $0 != RestoredFiles.explanationName }
    if taken.contains(RestoredFiles.explanationName) { hasOtherExplanation = true }
  }
}

extension [RestoreFolder.Failure] {
  /// The exit code for what could not be written.
  var codes: [ExitReason] { isEmpty ? [] : [.partial] }
}

extension RestoreFolder.Failure {
  /// The failure as JSON.
  package var json: JSONOutput {
    [
      "record_id": .optional(file?.wallet.recordID.hex), "state": .optional(file?.wallet.state),
      "file": .string(name), "reason": .string(message.message), "code": .string(message.word),
    ]
  }
}

extension Output {
  /// Names the files of a restore that could not be written, and counts them.
  package func warn(_ unwritten: [RestoreFolder.Failure]) {
    guard let first = unwritten.first else { return }
    for failure in unwritten.prefix(20) {
      warn("keybackup: \(ShellWord.quoted(failure.name)): \(failure.message.message)")
    }
    if unwritten.count > 20 { warn("... and \(unwritten.count - 20) more") }
    warn(
      "keybackup: \(counted(unwritten.count, "file")) \(unwritten.count == 1 ? "was" : "were") not "
        + "written")
    if let hint = first.message.hint { warn("hint: \(hint)") }
  }
}
