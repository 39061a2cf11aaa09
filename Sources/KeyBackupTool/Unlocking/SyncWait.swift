internal import ArgumentParser
internal import BackupFolder
internal import CSPP

/// Whether to wait for a folder that its sync program is still filling.
struct SyncOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Wait this long for files that are not synchronised yet.", valueName: "seconds"))
  var waitSync: Int?

  mutating func validate() throws {
    if let waitSync, !(0...86_400).contains(waitSync) {
      throw ValidationError("--wait-sync takes 0 to 86400 seconds")
    }
  }
}

/// Waits until everything in a backup folder that its files speak of is here.
struct SyncWait: Sendable {
  private let seconds: Int
  private let deadline: ContinuousClock.Instant
  private let prompter: Prompter

  /// The wait that the options ask for; nil: none.
  init?(_ options: SyncOptions, _ common: CommonOptions) {
    guard let seconds = options.waitSync else { return nil }
    self.seconds = seconds
    deadline = .now + .seconds(seconds)
    prompter = common.prompter
  }

  /// What one look at the folder showed.
  enum Look<Found> {
    /// All is here.
    case whole(Found)
    /// So many files are not, the first of them by name; 0: nobody knows how
    /// many. With what a caller that does not mind may go on.
    case lacking(Int, names: [String], Found?, UserMessage)
  }

  /// Looks until all is here, a few times a second at most.
  ///
  /// - Parameters:
  ///   - folder: the backup folder if it could be opened.
  ///   - look: looks once.
  /// - Returns: what was found, also after the time if `look` found something at
  ///   all.
  /// - Throws: what the last look threw or lacked; `interrupted`.
  func until<Found>(
    in folder: () -> BackupFolder?, all look: () throws(UserMessage) -> Look<Found>
  ) async throws(UserMessage) -> Found {
    var pause = Self.shortest
    var told: (count: Int, at: ContinuousClock.Instant)?
    while true {
      let begun = ContinuousClock.now
      let watcher = folder().map(ChangeWatcher.init)
      switch try look() {
      case .whole(let found): return found
      case .lacking(let count, let names, let found, let error):
        if Interruption.received { throw .interrupted }
        let left = deadline - .now
        if left <= .zero {
          if let found { return found }
          throw timedOut(count, names, error)
        }
        if told.map({ $0.count != count || .now - $0.at > .seconds(60) }) ?? true {
          told = (count, .now)
          tell(count, Int(left.components.seconds) + 1)
        }
        // A look at many files may take long itself.
        let rest = max(pause, (.now - begun) * 4)
        let changed = try await change(watcher, within: min(rest, left))
        pause = changed ? Self.shortest : min(pause * 3 / 2, Self.longest)
        folder()?.forgetFailures()
      }
    }
  }

  private static let shortest = Duration.milliseconds(250)
  private static let longest = Duration.seconds(5)

  /// Waits for a change, but at least for the shortest pause.
  private func change(
    _ watcher: ChangeWatcher?, within time: Duration
  ) async throws(UserMessage) -> Bool {
    let end = ContinuousClock.now + time
    while .now < end {
      do { try await Task.sleep(for: min(Self.shortest, end - .now)) } catch { throw .interrupted }
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
    let listed = names.prefix(3).map { PrintableText.clean($0, limit: 200) }
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
  /// What a command does with a backup that is not all here after the time.
  enum Use: Sendable {
    /// It tells what is lacking itself.
    case report
    /// It reads; once the key was touched, whatever there is.
    case reading
    /// It makes this computer know the master key: as reading, but no other backup takes the
    /// place of a known one.
    case unlocking
    /// It writes, and does not where something is lacking.
    case writing
  }

  /// Finds the backup that the options name, when it is all here if the options
  /// say to wait for that.
  static func find(
    _ options: FolderOptions, _ sync: SyncOptions, _ common: CommonOptions, _ world: World,
    for use: Use = .reading
  ) async throws(UserMessage) -> Backup {
    let path = try options.path(world, common.output)
    guard let wait = SyncWait(sync, common) else {
      var backup = try options.naming(world) { () throws(UserMessage) in
        try Backup(at: path, options, world, common)
      }
      backup.use = use
      try backup.checkMemory(common.output)
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
    try backup.checkMemory(common.output)
    return backup
  }

  /// Tells whoever reads of what this computer remembers and cannot read, and keeps others
  /// from writing over it.
  ///
  /// - Throws: `data-invalid`.
  private func checkMemory(_ output: Output) throws(UserMessage) {
    if use == .report { return }
    for problem in folder.unusableMemories().map(UserMessage.init) {
      if use != .reading { throw problem }
      output.warn(problem)
    }
  }

  /// Looks without a key whether all is here.
  private static func look(
    _ options: FolderOptions, _ world: World, _ common: CommonOptions, _ path: String,
    reports: Bool
  ) throws(UserMessage) -> SyncWait.Look<Backup> {
    do throws(UserMessage) {
      let backup = try Backup(at: path, options, world, common)
      var lack = try Lack(of: backup.namespace)
      var isAwaited = lack.isAwaited
      // A rotation elsewhere may have made another one; a known one does not depend on it.
      for id in backup.rivals {
        guard let other = try? Lack(of: backup.folder.namespace(id)) else { continue }
        lack.count += other.count
        lack.names += other.names
        isAwaited = isAwaited || (backup.isOpen && other.isAwaited)
      }
      if lack.count == 0, !backup.standsInPlace { return .whole(backup) }
      // What is gone for good is for the command to tell.
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

  /// What a namespace lacks, as far as can be seen without a key.
  private struct Lack {
    /// So many files or operations.
    var count: Int
    var names: [String]
    /// Whether any of it was never here.
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

  /// Whether one that this computer knew is gone, and this one is here instead.
  private var standsInPlace: Bool {
    named == nil && (try? folder.vanishedNamespaces(besides: namespace.id))?.isEmpty == false
  }

  /// Waits for what only the opened logs show to be lacking.
  ///
  /// - Parameter opened: is read again.
  /// - Returns: the same, with all that came.
  /// - Throws: `incomplete` after the time, if the command is not to go on;
  ///   `interrupted`.
  func wait(for opened: consuming OpenNamespace) async throws(UserMessage) -> OpenNamespace {
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
  /// Whether operations are known of that are not here.
  fileprivate var isAwaited: Bool { health.incomplete + health.rolledBack > 0 }
}
