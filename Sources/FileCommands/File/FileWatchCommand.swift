package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import CommandSupport
internal import FoundationEssentials
internal import SyncFolders
internal import Unlocking

/// `keybackup file watch`: a version of a file whenever it changes, with nobody there.
package struct FileWatchCommand: ParsableCommand, LastingCommand {
  package static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Back up files whenever they change, without a key.",
    discussion: """
      This computer must be authorised: keybackup writers. A file is saved when it has not changed \
      for 2 seconds, and after 30 seconds of changes. What fails is tried again.
      Without a path, the files are watched that were watched before. A name that was given once is \
      remembered.
      """)

  @Argument(help: ArgumentHelp("The files; they need not be there yet.", valueName: "path"))
  var paths: [String] = []

  @Option(help: ArgumentHelp("The name in the backup, with one path.", valueName: "name"))
  var name: String?

  @Option(
    help: ArgumentHelp(
      "Also look at the files so often (default: 5, only where the kernel tells of no changes).",
      valueName: "seconds"))
  var every: Int?

  @Flag(help: "Back up what has changed, and end.")
  var once = false

  @Option(
    help: ArgumentHelp(
      "Run this shell command when a backup fails; KEYBACKUP_FILE, KEYBACKUP_ERROR and "
        + "KEYBACKUP_MESSAGE say what failed.",
      valueName: "command"))
  var onFailure: String?

  @Option(
    help: ArgumentHelp(
      "Write the time into this file every minute while all files are there and backed up.",
      valueName: "file"))
  var heartbeat: String?

  @Flag(help: "Watch these files no longer: forget them, and end.")
  var forget = false

  @OptionGroup var common: CommonOptions
  @OptionGroup var folder: FolderOptions

  package init() {}

  package mutating func validate() throws {
    if let every, !(1...86_400).contains(every) {
      throw ValidationError("--every takes 1 to 86400 seconds")
    }
    if name != nil, paths.count != 1 { throw ValidationError("--name goes with one path") }
    if let name, PathComponent(name) == nil {
      throw ValidationError("a name has 1 to 255 bytes, no / and no control character")
    }
    if forget, paths.isEmpty { throw ValidationError("name the files to forget") }
    let watching = GivenOptions(["--every": every != nil])
    if once { try watching.refuse(besides: "--once") }
    if forget {
      let saving = GivenOptions([
        "--name": name != nil, "--once": once, "--on-failure": onFailure != nil,
        "--heartbeat": heartbeat != nil,
      ])
      try (watching + saving).refuse(besides: "--forget")
    }
    if paths.contains("-") { throw ValidationError("watch takes files, not standard input") }
    if heartbeat == "" { throw ValidationError("--heartbeat names a file") }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let output = common.output(world)
    if forget { return try forget(output, world) }
    let place = try folder.path(world, output)
    let root = FileCheck.future(place) ?? place
    let files = try files(folder: root, world)
    try requireOwnHeartbeat(files)
    try requireAuthorisation(place, output, world)
    for file in files where !once { WatchedFile.record(file, folder: root, world).keep(world) }

    let report = WatchReport(
      files, folder: root, onFailure: onFailure, heartbeat: heartbeat, isOnce: once, common, world)
    var settings = FileWatcher.Settings(paths: files.map(\.path))
    settings.folder = root
    settings.isOnce = once
    settings.aliveEvery = report.aliveEvery
    if let every {
      settings.every = .seconds(every)
      settings.looksEverywhere = true
    }
    let (folder, common) = (folder, common)
    let names = Dictionary(files.map { (NameBytes($0.path), $0.name) }) { first, _ in first }
    let stored = files.map(\.stored)
    let watcher = FileWatcher(settings) { (path, alive) throws(UserMessage) in
      try Self.save(
        WatchedName(path: path, name: names[NameBytes(path)] ?? nil), in: place, folder, common,
        world, alive)
    } isKept: {
      Self.isKept(stored, in: place, folder, common, world)
    } tell: {
      report.tell($0)
    }
    defer { report.end() }
    try await watcher.run()
    return try Self.show(report.outcomes, of: files.map(\.path), output)
  }

  // MARK: The files

  /// The files to watch, each once.
  private func files(folder: String, _ world: World) throws(UserMessage) -> [WatchedName] {
    let known = WatchedFile.of(folder, world)
    for path in paths { try FileCheck.requireText(path) }
    let named = paths.map(FileCheck.unresolved).map { path in
      WatchedName(path: path, name: name ?? known.first { $0.isAt(path) }?.name)
    }
    let files = named.isEmpty ? known.map { WatchedName(path: $0.path, name: $0.name) } : named
    guard !files.isEmpty else {
      throw UserMessage(
        .usage, "no file is watched yet",
        hint: "name one: keybackup file watch PATH\nto see what is worth it: keybackup file suggest"
      )
    }
    var names: [NameBytes: String] = [:]
    for file in files {
      let path = file.path
      if let advice = CopyCheck.advice(name: path), advice.weight == .never {
        throw advice.message(path)
      }
      if let other = names[NameBytes(file.stored)], NameBytes(other) != NameBytes(path) {
        throw UserMessage(
          .usage,
          "\(ShellWord.quoted(other)) and \(ShellWord.quoted(path)) would have one name in the "
            + "backup",
          hint: "watch one of them by itself, and give it another name: keybackup file watch "
            + "--name NAME PATH")
      }
      names[NameBytes(file.stored)] = path
    }
    var seen: Set<NameBytes> = []
    return files.filter { seen.insert(NameBytes($0.path)).inserted }
  }

  /// The time would take the place of what is to be backed up.
  private func requireOwnHeartbeat(_ files: [WatchedName]) throws(UserMessage) {
    guard let heartbeat else { return }
    let place = NameBytes(FileCheck.future(heartbeat) ?? heartbeat)
    guard
      let file = files.first(where: { NameBytes(FileCheck.future($0.path) ?? $0.path) == place })
    else { return }
    throw UserMessage(
      .usage, "\(ShellWord.quoted(file.path)) is watched, so it cannot be the heartbeat's file",
      hint: "name a file of its own: --heartbeat FILE")
  }

  private func forget(_ output: Output, _ world: World) throws(UserMessage) -> ExitReason {
    // Without --folder, for whichever folder it is watched.
    let only = folder.folder.map { FileCheck.future($0) ?? $0 }
    let known = WatchedFile.all(world).filter { only == nil || $0.folder == only }
    let forgotten = paths.map(FileCheck.unresolved).filter { path in
      !known.filter { $0.isAt(path) && $0.forget(world) }.isEmpty
    }
    guard !forgotten.isEmpty else {
      throw UserMessage(
        .noInput, paths.count > 1 ? "none of these files was watched" : "that file was not watched",
        hint: "to see the watched files: keybackup status --json")
    }
    guard forgotten.count == paths.count else {
      throw UserMessage(
        .noInput, "not all of these files were watched", hint: "the others are forgotten now")
    }
    try output.result(
      "\(counted(forgotten.count, "file")) forgotten. The backup keeps every version.",
      json: ["forgotten": .array(forgotten.map(JSONOutput.string))],
      ofChange: "they were forgotten all the same")
    return .success
  }

  // MARK: Saving

  /// Fails at once if this computer may not write; a folder that is away may come back.
  private func requireAuthorisation(
    _ place: String, _ output: Output, _ world: World
  ) throws(UserMessage) {
    guard FileCheck.exists(place) else {
      // What is done once waits for nothing; each file says why it was not saved.
      if once { return }
      output.warn(
        "keybackup: the backup's folder \(ShellWord.quoted(place)) is not there; waiting for it")
      return
    }
    let opened = try Backup.folder(at: place, world, common)
    guard try LocalWriterChoice.writer(opened, folder, world) == nil else { return }
    var error = Self.notAuthorised
    let asked = (try? opened.localSilentWriters())?.contains { $0.namespaceID == nil } ?? false
    error.hint =
      opened.movedHint ?? opened.lostPermission(for: .filePut, world)
      ?? (asked
        ? "it has asked. Where your key is, run: keybackup writers authorise LINE\n"
          + "then on this computer, run: keybackup writers accept LINE"
        : error.hint)
    throw error
  }

  private static let notAuthorised = UserMessage(
    .config, "this computer may not write without a key yet",
    hint: "with your key on this computer, run: keybackup writers authorise --label NAME\n"
      + "without it on this computer, run: keybackup writers request\n"
      + "where your key is, run: keybackup writers authorise LINE\n"
      + "then on this computer, run: keybackup writers accept LINE")

  /// Whether the last change of this computer and its last versions of the files are still in the
  /// backup, and count.
  private static func isKept(
    _ names: [String], in place: String, _ options: FolderOptions, _ common: CommonOptions,
    _ world: World
  ) -> Bool {
    do {
      let folder = try Backup.folder(at: place, world, common)
      guard let writer = try LocalWriterChoice.writer(folder, options, world) else { return false }
      return try folder.holdsLastChange(of: writer)
        && folder.holdsLastVersions(of: writer, names: names.compactMap(PathComponent.init))
        && writer.uncounted(in: folder) == nil
    } catch {
      return false
    }
  }

  private static func save(
    _ file: WatchedName, in place: String, _ options: FolderOptions, _ common: CommonOptions,
    _ world: World, _ alive: () -> Void
  ) throws(UserMessage) -> FileWatcher.Outcome {
    let source: FileSource
    do throws(UserMessage) {
      source = try FileSource(file.path, as: file.name, input: nil, world)
    } catch {
      if error.code == .usage || error.code == .dataInvalid { return .refused(error) }
      throw error
    }
    let folder = try Backup.folder(at: place, world, common)
    guard let writer = try LocalWriterChoice.writer(folder, options, world) else {
      throw notAuthorised
    }
    var memory = AddedFilesMemory(world)
    // It is tried again: a person may have given one of the two another name meanwhile.
    try memory.requireSame(
      file.path, source.name, as: writer.files[source.name], mayReplace: false)
    let saved: FileWatcher.Outcome
    var refusal: UserMessage?
    do throws(BackupFolderError) {
      let contents = try source.contents()
      let added = try folder.addSilently(
        contents, name: source.name, as: writer
      ) { (known) throws(BackupFolderError) in
        // Another run may have taken the name for another file meanwhile.
        do throws(UserMessage) {
          memory = AddedFilesMemory(world)
          try memory.requireSame(file.path, source.name, as: known, mayReplace: false)
        } catch {
          refusal = error
          throw .interrupted
        }
      } kept: {
        memory.keep($0, from: file.path)
      } progress: { _ in
        alive()
      }
      // It was opened before it was read: a later change does not count as saved.
      let state = WatchedState(source.status)
      saved = .saved(isNew: added.isNew, state)
      if added.isNew {
        let last = writer.files[source.name].flatMap { writer.versions[$0] }
        WatchedFile.record(file, folder: place, world).noting(
          isBlank: source.isBlank, after: last
        ).keep(world)
      }
    } catch {
      throw refusal ?? UserMessage(error)
    }
    // It is tried again, and ends well once the change is here.
    if let uncounted = writer.uncounted(in: folder) { throw uncounted }
    return saved
  }

  // MARK: The result of --once

  private static func show(
    _ outcomes: [WatchReport.Outcome?], of files: [String], _ output: Output
  ) throws(UserMessage) -> ExitReason {
    var codes: [ExitReason] = []
    var rows: [JSONOutput] = []
    for (path, outcome) in zip(files, outcomes) {
      var row: JSONOutput = ["path": .string(path)]
      switch outcome {
      case .saved: row["outcome"] = "saved"
      case .unchanged: row["outcome"] = "unchanged"
      case .missing, nil:
        row["outcome"] = "missing"
        codes.append(.noInput)
      case .failed(let message):
        row["outcome"] = "failed"
        row["code"] = .string(message.word)
        row["message"] = .string(message.message)
        codes.append(message.code)
      }
      rows.append(row)
    }
    if output.json { try output.result(json: ["files": .array(rows)]) }
    guard let first = codes.first else { return .success }
    return codes.count == files.count ? first : .partial
  }
}
