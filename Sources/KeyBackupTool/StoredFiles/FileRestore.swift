internal import BackupFolder
internal import CSPP
internal import CommandSupport
internal import SecretMemory

/// Writes versions of files into a folder, and remembers how it went.
struct FileRestore: ~Copyable {
  /// The size from which people see how far the work has come, in bytes.
  static let shownFrom: UInt64 = 10_000_000

  /// A version that was not written.
  struct Failure: Sendable {
    let planned: PlannedFile
    let message: UserMessage
  }

  private let tree: RestoredTree
  private var bar: ProgressBar
  private let total: UInt64
  private var done: UInt64 = 0
  /// The versions that are in the folder now.
  private(set) var written: [PlannedFile] = []
  /// The versions that are not.
  private(set) var failures: [Failure] = []
  /// Paths that something else has.
  private(set) var taken: [String] = []

  /// - Parameters:
  ///   - tree: the folder.
  ///   - planned: everything that will be written.
  ///   - common: where progress is shown.
  ///   - world: the terminal.
  init(
    into tree: RestoredTree, _ planned: [PlannedFile], _ common: CommonOptions,
    _ world: World
  ) {
    self.tree = tree
    total = planned.map(\.version.size).sumOfClaims()
    bar = ProgressBar(
      "Restoring", unit: .bytes, output: common.output(world),
      terminalName: world.variable("TERM"), events: common.events)
  }

  /// Writes one version; an error of reading it is remembered.
  ///
  /// - Throws: what stops all further ones: `cannot-create`, `io` of writing, `interrupted`.
  mutating func restore(
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
        (sink) throws(UserMessage) in
        var failure: UserMessage?
        do throws(BackupFolderError) {
          try opened.read(one.version) { (bytes) throws(BackupFolderError) in
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
      case .written, .there: written.append(one)
      case .taken: taken.append(one.path)
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
  mutating func finish() { bar.finish() }

  /// The exit code for what was not written, or was written aside.
  var exitCode: ExitCode {
    var codes = failures.map { failure in
      // Each one counts, also an error that no list of urgent ones has.
      ExitCode.mostUrgent(of: [failure.message.code]) == .success ? .partial : failure.message.code
    }
    if !codes.isEmpty, !written.isEmpty { codes = [.partial] }
    if written.contains(where: \.isChoice) { codes.append(.conflict) }
    return .mostUrgent(of: codes)
  }

  /// The error about names that something else has.
  var obstacle: UserMessage? {
    guard let first = taken.first else { return nil }
    let files =
      taken.count == 1
      ? "\(ShellWord.quoted(first)) is"
      : "\(taken.count) files, \(ShellWord.quoted(first)) first, are"
    return UserMessage(
      .cannotCreate, "\(files) in \(ShellWord.quoted(tree.path)) already, with other contents",
      hint:
        "nothing was overwritten, and all other files were written; to get all of them, restore "
        + "into an empty folder")
  }
}

extension PlannedFile {
  /// The version as JSON.
  var json: JSONOutput {
    [
      "file_id": .string(file.id.hex), "name": .string(version.name.text),
      "computer": .optional(version.label?.text),
      "version": .string(version.operation.digest.hex), "file": .string(path),
      "state": .string(version.word(in: file)), "aside": .bool(aside != nil),
    ]
  }
}

extension OpenNamespace {
  /// The keys of the silent writers that were retired.
  var retiredKeys: Set<SigningKey> {
    Set(silentWriters().filter(\.isRetired).map(\.writer.signingKey))
  }
}

extension FileRestore.Failure {
  /// The failure as JSON.
  var json: JSONOutput {
    var json = planned.json
    json["reason"] = .string(message.message)
    json["code"] = .string(message.word)
    return json
  }
}

extension Output {
  /// Tells what a restore wrote aside, and what it could not write.
  ///
  /// - Parameters:
  ///   - written: the versions that were written.
  ///   - failures: those that were not.
  ///   - retired: the keys of retired computers.
  func warn(
    written: [PlannedFile], _ failures: [FileRestore.Failure], retired: Set<SigningKey>
  ) {
    for failure in failures {
      warn("keybackup: \(ShellWord.quoted(failure.planned.path)): \(failure.message.message)")
    }
    if let hint = failures.first?.message.hint {
      for line in hint.split(separator: "\n") { warn("hint: \(line)") }
    }
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
      let name = ShellWord.quoted(one.ownPath)
      warn("hint: to choose one: keybackup file keep \(name) VERSION")
    }
    let namesakes = Dictionary(grouping: aside.filter(\.isNamesake), by: \.ownPath)
    for (path, files) in namesakes.sorted(by: { $0.key < $1.key }).prefix(5) {
      warn("hint: " + Self.advice(path, files, retired))
    }
  }

  /// The advice about files that have one name: the one of a retired computer may go, or the older.
  private static func advice(
    _ path: String, _ files: [PlannedFile], _ retired: Set<SigningKey>
  ) -> String {
    let gone = files.filter { $0.version.by.map(retired.contains) ?? false }
    let isOfRetired = !gone.isEmpty && gone.count < files.count
    let least = (isOfRetired ? gone : files).min { $0.version.at < $1.version.at }
    let which = isOfRetired ? "the one of the retired computer" : "the older one"
    return "\(files.count) files are called \(ShellWord.quoted(path)). To remove \(which): "
      + "keybackup file remove \(least?.file.id.hex ?? "ID")"
  }

  /// The places of restored versions, one a line.
  private static func paths(_ planned: [PlannedFile]) -> [String] {
    planned.prefix(20).map { "  \(ShellWord.quoted($0.path))" }
      + (planned.count > 20 ? ["  ... and \(planned.count - 20) more"] : [])
  }
}
