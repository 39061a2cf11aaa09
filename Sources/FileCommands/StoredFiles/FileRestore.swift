package import BackupFolder
package import CSPP
package import CommandKit
internal import CommandSupport
internal import SecretMemory

/// Writes versions of files into a folder, and remembers how it went.
package struct FileRestore: ~Copyable {
  /// The size from which people see how far the work has come, in bytes.
  package static let shownFrom: UInt64 = 10_000_000

  /// A version that was not written.
  package struct Failure: Sendable {
    package let planned: PlannedFile
    package let message: UserMessage

    package init(planned: PlannedFile, message: UserMessage) {
      self.planned = planned
      self.message = message
    }
  }

  private let tree: RestoredTree
  private var bar: ProgressBar
  private let total: UInt64
  private var done: UInt64 = 0
  /// The versions that are in the folder now.
  package private(set) var written: [PlannedFile] = []
  /// The versions that are not.
  package private(set) var failures: [Failure] = []
  /// The versions whose names something else has.
  package private(set) var taken: [Failure] = []

  /// - Parameters:
  ///   - tree: the folder.
  ///   - planned: everything that will be written.
  ///   - files: all files of the backup, whose names no other file gets.
  ///   - common: where progress is shown.
  ///   - world: the terminal.
  package init(
    into tree: RestoredTree, _ planned: [PlannedFile], among files: [BackedUpFile],
    _ common: CommonOptions, _ world: World
  ) {
    self.tree = tree
    tree.reserve(
      planned.map(\.plannedPath)
        + files.flatMap { file in file.live.map { PlannedFile($0, of: file).plannedPath } })
    total = planned.map(\.version.size).sumOfClaims()
    bar = ProgressBar(
      "Restoring", unit: .bytes, output: common.output(world),
      terminalName: world.variable("TERM"), events: common.events(world))
  }

  /// Writes one version; an error of reading it is remembered.
  ///
  /// - Throws: what stops all further ones: `cannot-create`, `io` of writing, `interrupted`.
  package mutating func restore(
    _ one: PlannedFile, from opened: borrowing OpenNamespace
  ) throws(UserMessage) {
    let start = done
    done = min(start + one.version.size, total)
    // Why the version itself could not be read.
    var unread: UserMessage?
    do throws(UserMessage) {
      let isShown = total > Self.shownFrom
      var position = start
      let (tree, total) = (tree, total)
      let placed = try tree.write(one.name, in: [one.folder], one.attributes) {
        (sink, again) throws(UserMessage) in
        var failure: UserMessage?
        do throws(BackupFolderError) {
          try opened.readAnyCopy(one.version) { () throws(BackupFolderError) in
            position = start
            do throws(UserMessage) {
              try again()
            } catch {
              failure = error
              throw .interrupted
            }
          } into: { (bytes) throws(BackupFolderError) in
            do throws(UserMessage) {
              try sink(bytes)
            } catch {
              failure = error
              throw .interrupted
            }
            position += UInt64(bytes.byteCount)
            if isShown { bar.advance(to: Int(position), of: Int(total)) }
          }
        } catch {
          if let failure { throw failure }
          if error != .interrupted { unread = UserMessage(error) }
          throw UserMessage(error)
        }
      }
      switch placed {
      case .written(let path), .there(let path): written.append(one.placed(at: path))
      case .refused(let message): failures.append(Failure(planned: one, message: message))
      case .taken:
        taken.append(
          Failure(
            planned: one,
            message: UserMessage(
              .cannotCreate,
              "\(ShellWord.quoted(one.path)) is in \(ShellWord.quoted(tree.path)) already, with other "
                + "contents; nothing was overwritten")))
      }
    } catch {
      // Other versions may still be read.
      guard let unread else {
        throw error.code == .interrupted
          ? .interrupted(wallets: 0, files: written.count, in: tree.path) : error
      }
      failures.append(Failure(planned: one, message: unread))
    }
  }

  /// Clears the line of the progress bar.
  package mutating func finish() { bar.finish() }

  /// The exit code for what was not written, or was written aside.
  package var exitCode: ExitReason {
    var codes = failures.map { failure in
      // Each one counts, also an error that no list of urgent ones has.
      ExitReason.mostUrgent(of: [failure.message.code]) == .success
        ? .partial : failure.message.code
    }
    if !codes.isEmpty, !written.isEmpty { codes = [.partial] }
    if written.contains(where: \.isChoice) { codes.append(.conflict) }
    if !taken.isEmpty { codes.append(.cannotCreate) }
    return .mostUrgent(of: codes)
  }

  /// The error about names that something else has; it ends with the most urgent code.
  package var obstacle: UserMessage? {
    guard let first = taken.first else { return nil }
    let path = ShellWord.quoted(first.planned.path)
    let files = taken.count == 1 ? "\(path) is" : "\(taken.count) files, \(path) first, are"
    let others =
      failures.isEmpty
      ? (written.isEmpty ? "" : ", and all other files were written")
      : ", and \(counted(failures.count, "other version")) could not be read and "
        + (failures.count == 1 ? "was" : "were") + " not written"
    return UserMessage(
      exitCode, "\(files) in \(ShellWord.quoted(tree.path)) already, with other contents",
      hint: "nothing was overwritten\(others); to get all that can be read, restore into an empty "
        + "folder")
  }
}

extension PlannedFile {
  /// The version as JSON.
  package var json: JSONOutput {
    var json: JSONOutput = [
      "file_id": .string(file.id.hex), "name": .string(version.name.text),
      "computer": .optional(version.label?.text),
      "version": .string(version.operation.digest.hex), "file": .string(path),
      "state": .string(version.word(in: file)), "aside": .bool(aside != nil),
      "renamed": .bool(isRenamed),
    ]
    if version.isBlank, let full = file.lastNotEmpty {
      json["last_not_empty"] = .string(full.operation.digest.hex)
    }
    return json
  }
}

extension OpenNamespace {
  /// The keys of the silent writers that were retired.
  package var retiredKeys: Set<SigningKey> {
    Set(silentWriters().filter(\.isRetired).map(\.writer.signingKey))
  }
}

extension BackedUpFile {
  /// The sentence about the last version that was not empty or all zero bytes, and the command that
  /// restores it; nil where the file is neither, or always was.
  func emptiedAdvice(among files: [BackedUpFile]) -> (what: String, command: String)? {
    guard let full = lastNotEmpty else { return nil }
    let path = (full.label.map { $0.text + "/" } ?? "") + full.name.text
    return (
      "\(ShellWord.quoted(path)) "
        + (live.allSatisfy { $0.size == 0 }
          ? "is empty; its last version that was not"
          : "holds only zero bytes; the last version before")
        + " is \(full.shortName), of "
        + "\(PrintableSize.text(full.size)), \(PrintableTime.minute(full.at))",
      "keybackup file restore \(FileSelector.id(of: self, among: files)) --version "
        + "\(full.shortName) --out FOLDER"
    )
  }
}

extension FileRestore.Failure {
  /// The failure as JSON.
  package var json: JSONOutput {
    var json = planned.json
    json["reason"] = .string(message.message)
    json["code"] = .string(message.word)
    return json
  }
}

extension Output {
  /// Tells which files have another name, because their file system cannot have their own.
  package func warn(renamed files: [(name: String, path: String)]) {
    if files.isEmpty { return }
    warn(
      "keybackup: the file system cannot have \(files.count == 1 ? "this name" : "these names"), or "
        + "another file has it, so "
        + "\(counted(files.count, "file")) \(files.count == 1 ? "has" : "have") another one:")
    for (name, path) in files.prefix(20) {
      warn("  \(ShellWord.quoted(name)) is \(ShellWord.quoted(path))")
    }
    if files.count > 20 { warn("  ... and \(files.count - 20) more") }
  }

  /// Names the last version that was not empty, of files that are empty now.
  private func warn(emptied: [BackedUpFile], among files: [BackedUpFile]) {
    for line in emptied.compactMap({ $0.emptiedAdvice(among: files) }).prefix(20) {
      warn("keybackup: " + line.what)
      warn("hint: to restore that one: \(line.command)")
    }
  }

  /// Tells what a restore wrote aside, and what it could not write.
  ///
  /// - Parameters:
  ///   - written: the versions that were written.
  ///   - failures: those that were not.
  ///   - untried: how many others were not, which an error explains that ends the run.
  ///   - files: all files of the backup.
  ///   - retired: the keys of retired computers.
  package func warn(
    written: [PlannedFile], _ failures: [FileRestore.Failure], untried: Int = 0,
    among files: [BackedUpFile], retired: Set<SigningKey>
  ) {
    for failure in failures {
      warn("keybackup: \(ShellWord.quoted(failure.planned.path)): \(failure.message.message)")
    }
    let lost = failures.count + untried
    if lost > 0 {
      warn(
        "keybackup: \(counted(lost, "file")) of \(lost + written.count) "
          + "\(lost == 1 ? "was" : "were") not restored")
    }
    if let hint = failures.first?.message.hint {
      for line in hint.split(separator: "\n") { warn("hint: \(line)") }
    }
    warn(renamed: written.filter(\.isRenamed).map { ($0.plannedPath, $0.path) })
    warn(emptied: written.filter(\.version.isBlank).map(\.file), among: files)
    let removed = written.filter { $0.aside == PlannedFile.removed }
    if !removed.isEmpty {
      note(
        "\(counted(removed.count, "removed file")) \(removed.count == 1 ? "was" : "were") written, too, under "
          + "another name:")
      for line in Self.paths(removed) { note(line) }
    }
    let aside = written.filter(\.isChoice)
    guard !aside.isEmpty else { return }
    warn(
      "keybackup: \(counted(aside.count, "version")) \(aside.count == 1 ? "was" : "were") written under "
        + "another name, because a person has to choose:")
    for line in Self.paths(aside) { warn(line) }
    if let one = aside.first(where: { !$0.isNamesake }) {
      let name = FileSelector.word(for: one.file, named: one.ownPath, among: files)
      warn("hint: to choose one: keybackup file keep \(name) VERSION")
    }
    let namesakes = Dictionary(grouping: aside.filter(\.isNamesake), by: \.ownPath)
    for (path, same) in namesakes.sorted(by: { $0.key < $1.key }).prefix(5) {
      for line in Self.advice(path, same.map(\.file), among: files, retired) {
        warn("hint: " + line)
      }
    }
  }

  /// The advice about files that have one name.
  ///
  /// None of them is called the wrong one: times and names are their writers' claims.
  ///
  /// - Parameters:
  ///   - path: the name, with the computer's.
  ///   - same: the files that have it.
  ///   - files: all files of the backup.
  ///   - retired: the keys of retired computers.
  /// - Returns: the lines.
  private static func advice(
    _ path: String, _ same: [BackedUpFile], among files: [BackedUpFile], _ retired: Set<SigningKey>
  ) -> [String] {
    let ids = same.map { FileSelector.id(of: $0, among: files) }
    let named = zip(same, ids).prefix(10).map { "\($1) (\(FileSelector.origin($0, retired)))" }
    let rest = same.count > 10 ? " and \(same.count - 10) more" : ""
    return [
      "\(same.count) files are called \(ShellWord.quoted(path)): \(named.joined(separator: ", "))"
        + rest
    ] + ids.prefix(10).map { "to see its versions: keybackup file history \($0)" }
  }

  /// The places of restored versions, one a line.
  private static func paths(_ planned: [PlannedFile]) -> [String] {
    planned.prefix(20).map { "  \(ShellWord.quoted($0.path))" }
      + (planned.count > 20 ? ["  ... and \(planned.count - 20) more"] : [])
  }
}
