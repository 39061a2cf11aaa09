internal import ArgumentParser
package import BackupFolder
internal import CSPP
package import CommandKit
internal import CommandSupport
internal import SyncFolders

/// The option to wait for a folder that its sync program is still filling.
package struct SyncOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Wait this long for files not yet synchronised.", valueName: "seconds"))
  var waitSync: Int?

  /// The option, if it was given.
  package var given: GivenOptions { GivenOptions(["--wait-sync": waitSync != nil]) }

  package init() {}

  package mutating func validate() throws {
    if let waitSync, !(0...86_400).contains(waitSync) {
      throw ValidationError("--wait-sync takes 0 to 86400 seconds")
    }
  }
}

/// Waits until everything named in a backup folder's files is here.
package struct SyncWait: Sendable {
  private let seconds: Int
  private let deadline: Duration
  private let time: PassingTime
  private let prompter: Prompter

  /// Creates the wait that the options request; nil for none.
  package init?(_ options: SyncOptions, _ common: CommonOptions, _ world: World) {
    guard let seconds = options.waitSync else { return nil }
    self.seconds = seconds
    time = world.time
    deadline = time.now() + .seconds(seconds)
    prompter = common.prompter(world)
  }

  /// The result of one look at the folder.
  package enum Look<Found> {
    /// Everything is here.
    case whole(Found)
    /// This many files are missing, with the names of some; 0 if the number is unknown.
    ///
    /// A caller that accepts gaps may continue with the value.
    case lacking(Int, names: [String], Found?, UserMessage)
  }

  /// Looks until everything is here, at most a few times a second.
  ///
  /// - Parameters:
  ///   - folder: the backup folder, if it could be opened.
  ///   - look: looks once.
  /// - Returns: the value found, also after the time if `look` found one.
  /// - Throws: the last error of `look`; `interrupted`.
  package func until<Found>(
    in folder: () -> BackupFolder?, all look: () throws(UserMessage) -> Look<Found>
  ) async throws(UserMessage) -> Found {
    var pause = Self.shortest
    var told: (count: Int, at: Duration)?
    while true {
      let begun = time.now()
      let watcher = folder().map(ChangeWatcher.init)
      switch try look() {
      case .whole(let found): return found
      case .lacking(let count, let names, let found, let error):
        if Interruption.received { throw .interrupted }
        let left = deadline - time.now()
        if left <= .zero {
          if let found { return found }
          throw timedOut(count, names, error)
        }
        if told.map({ $0.count != count || time.now() - $0.at > .seconds(60) }) ?? true {
          told = (count, time.now())
          tell(count, Int(left.components.seconds) + 1)
        }
        // A look at many files may itself take long.
        let rest = max(pause, (time.now() - begun) * 4)
        let changed = try await change(watcher, within: min(rest, left))
        pause = changed ? Self.shortest : min(pause * 3 / 2, Self.longest)
        folder()?.forgetFailures()
      }
    }
  }

  private static let shortest = Duration.milliseconds(250)
  private static let longest = Duration.seconds(5)

  /// Waits for a change, for at least the shortest pause.
  private func change(
    _ watcher: ChangeWatcher?, within patience: Duration
  ) async throws(UserMessage) -> Bool {
    let end = time.now() + patience
    while time.now() < end {
      do { try await time.sleep(min(Self.shortest, end - time.now())) } catch { throw .interrupted }
      if watcher?.hasChanged() == true { return true }
    }
    return false
  }

  private func tell(_ count: Int, _ left: Int) {
    let what = count == 0 ? "the folder" : count == 1 ? "1 file" : "\(count) files"
    prompter.tell("Waiting for \(what) to be synchronised (\(left) s left).")
    prompter.events.send(.sync(files: count, path: nil, secondsLeft: left))
  }

  private func timedOut(_ count: Int, _ names: [String], _ error: UserMessage) -> UserMessage {
    guard error.code == .incomplete, count > 0 else { return error }
    let listed = names.prefix(3).map { PrintableText.name($0, limit: 200) }
    let what = count == 1 ? "1 file is" : "\(count) files are"
    return UserMessage(
      .incomplete,
      "\(what) not synchronised after \(seconds) s"
        + (listed.isEmpty ? "" : ": " + listed.joined(separator: ", "))
        + (count > listed.count && !listed.isEmpty ? ", ..." : ""),
      hint: "see what the sync program is doing; to use what is here, leave out --wait-sync")
  }
}

extension Backup {
  /// A command's use of a backup that is not complete after the time.
  package enum Use: Sendable {
    /// The command reports the gaps itself.
    case report
    /// The command reads; once the key was touched, it uses whatever is here.
    case reading
    /// The command stores the master key in a keyring: like reading, but no other backup may
    /// replace a known one.
    case unlocking
    /// The command writes; it does not write if something is missing.
    case writing
  }

  /// Finds the backup that the options name; if the options say so, waits until it is complete.
  package static func find(
    _ options: FolderOptions, _ sync: SyncOptions, _ common: CommonOptions, _ world: World,
    for use: Use = .reading
  ) async throws(UserMessage) -> Backup {
    let path = try options.path(world, common.output(world))
    guard let wait = SyncWait(sync, common, world) else {
      var backup = try options.naming(world) { () throws(UserMessage) in
        try Backup(at: path, options, world, common)
      }
      backup.use = use
      try backup.checkMemory(common.output(world))
      return backup
    }
    var known: BackupFolder?
    var backup = try await wait.until(
      in: { known },
      all: { () throws(UserMessage) in
        let look = try Self.look(options, world, common, path, reports: use == .report)
        if case .whole(let backup) = look { known = backup.folder }
        if known == nil { known = try? Backup.folder(at: path, world, common) }
        return look
      })
    backup.wait = wait
    backup.use = use
    backup.goesOn = use != .writing
    try backup.checkMemory(common.output(world))
    return backup
  }

  /// Reports unreadable state files to a reading command, and keeps other commands from overwriting
  /// them, and from asking for a key where the folder takes no changes.
  ///
  /// - Throws: `data-invalid`, `io`.
  private func checkMemory(_ output: Output) throws(UserMessage) {
    if use == .report { return }
    if use == .writing {
      try FileCheck.refuseReadOnly(folder.path)
      try folder.requireMemory()
    }
    for problem in folder.unusableMemories().map(UserMessage.init) {
      if use != .reading { throw problem }
      output.warn(problem)
    }
  }

  /// Looks, without a key, whether everything is here.
  private static func look(
    _ options: FolderOptions, _ world: World, _ common: CommonOptions, _ path: String,
    reports: Bool
  ) throws(UserMessage) -> SyncWait.Look<Backup> {
    do throws(UserMessage) {
      let backup = try Backup(at: path, options, world, common)
      var lack = try Lack(of: backup.namespace)
      var isAwaited = lack.isAwaited
      // A rotation elsewhere may have created another namespace; a known one does not depend on it.
      for id in backup.rivals {
        guard let other = try? Lack(of: backup.folder.namespace(id)) else { continue }
        lack.count += other.count
        lack.names += other.names
        isAwaited = isAwaited || (backup.isOpen && other.isAwaited)
      }
      if lack.count == 0, !backup.standsInPlace { return .whole(backup) }
      // The command reports files that are lost for good.
      return .lacking(
        lack.count, names: lack.names, reports || !isAwaited ? backup : nil,
        UserMessage(.incomplete, "not everything is synchronised"))
    } catch {
      switch error.code {
      case .incomplete, .rollback, .noInput: return .lacking(0, names: [], nil, error)
      default: throw error
      }
    }
  }

  /// The gaps of a namespace, as far as they show without a key.
  private struct Lack {
    /// The number of missing files or operations.
    var count: Int
    var names: [String]
    /// Whether any of them was never here.
    let isAwaited: Bool

    init(of namespace: Namespace) throws(UserMessage) {
      do throws(BackupFolderError) {
        let scan = try namespace.scan()
        let structure = try namespace.checkStructure()
        names = (scan.findings + structure.wallets.findings).filter { $0.state == .incomplete }
          .map(\.file)
        let health = structure.health
        count = max(names.count, health.incomplete + health.rolledBack)
        isAwaited = !names.isEmpty || health.incomplete > 0
      } catch {
        throw UserMessage(error)
      }
    }
  }

  /// The other namespaces that may be meant.
  private var rivals: [NamespaceID] {
    guard !candidates.isEmpty, let found = try? folder.candidates() else { return [] }
    return (found.known + found.unknown).filter { $0 != namespace.id }
  }

  /// Whether a namespace that this computer knew is missing and this one is in its place.
  private var standsInPlace: Bool {
    named == nil && (try? folder.vanishedNamespaces(besides: namespace.id))?.isEmpty == false
  }

  /// Waits for operations whose absence only the opened logs show.
  ///
  /// - Parameter opened: the namespace, which is read again.
  /// - Returns: the same namespace, with everything that arrived.
  /// - Throws: `incomplete` after the time, if the command must not continue; `interrupted`.
  package func wait(for opened: consuming OpenNamespace) async throws(UserMessage) -> OpenNamespace
  {
    guard let wait else { return opened }
    var namespace = opened
    _ = try await wait.until(
      in: { folder },
      all: { () throws(UserMessage) -> SyncWait.Look<Bool> in
        do throws(BackupFolderError) {
          if namespace.isAwaited { try namespace.readAgain() }
        } catch {
          throw UserMessage(error)
        }
        guard namespace.isAwaited else { return .whole(true) }
        let files = namespace.logFindings.filter { $0.state == .incomplete }.map(\.file)
        return .lacking(
          namespace.health.incomplete + namespace.health.rolledBack, names: files,
          goesOn ? true : nil,
          UserMessage(.incomplete, "not everything is synchronised"))
      })
    return namespace
  }
}

extension OpenNamespace {
  /// Whether known operations are missing, also those of computers without the key.
  fileprivate var isAwaited: Bool { health.incomplete + health.rolledBack > 0 || hasSealedGap }
}

extension BackupFolder {
  /// Throws if this computer could not remember what it writes: before anybody is asked for a key.
  ///
  /// - Throws: `cannot-create`, `permission-denied`, with what is in the way.
  package func requireMemory() throws(UserMessage) {
    do throws(BackupFolderError) {
      try requireWritableMemory()
    } catch {
      throw .unusableMemory(error)
    }
  }
}

extension UserMessage {
  /// The message where this computer cannot remember what it writes.
  ///
  /// - Parameter error: names the folder or file that is in the way.
  /// - Returns: what is in the way, and how to take it out.
  fileprivate static func unusableMemory(_ error: BackupFolderError) -> UserMessage {
    func message(_ code: ExitReason, _ path: String, _ reason: String) -> UserMessage {
      let quoted = ShellWord.quoted(path)
      return UserMessage(
        code, "this computer cannot remember the backup in \(quoted): \(reason)",
        hint: FileCheck.isOfRoot(path)
          ? "it belongs to root, as after a command with sudo; to take it back, run: sudo chown -R "
            + "$USER \(quoted)"
          : "check its owner and permissions, or name another place with XDG_STATE_HOME")
    }
    return switch error {
    case .permissionDenied(let path): message(.permissionDenied, path, "you may not write there")
    case .io(let code, let path): message(.cannotCreate, path, systemText(code))
    default: UserMessage(error)
    }
  }
}
