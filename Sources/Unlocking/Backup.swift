// This folder is for opening a backup, from options to an open namespace: the sources of its master
// key, succession, waiting for synchronisation. Commands call UnlockOptions.backup and
// Backup.unlock. The command's use of the namespace is not known here.

package import BackupFolder
package import CSPP
package import CommandKit
internal import CommandSupport
internal import Glibc
internal import SecretMemory
internal import SyncFolders

/// The backup on which a command works: its folder and its namespace, before any key is used.
package struct Backup: Sendable {
  package let folder: BackupFolder
  /// The namespace that is named or known to this computer; if none is known, any of them until a
  /// key has opened one.
  package let namespace: Namespace
  /// The namespace that the user named.
  package var named: NamespaceID?
  /// Whether all digits of it were typed: only then was it compared with another computer's.
  var isNamedInFull = false
  /// All namespaces that may be meant, if there are several and none is named.
  package var candidates: [NamespaceID] = []
  /// The namespace among several that this computer knows to be meant.
  package var settled: NamespaceID?
  /// Whether only a key can tell which namespace is meant.
  package var isOpen: Bool { !candidates.isEmpty && settled == nil }
  /// The namespace that the user named or that this computer considers the backup; nil if only a
  /// key can tell.
  package var meant: NamespaceID? { named ?? (isOpen ? nil : namespace.id) }
  /// The command's use of the backup.
  package var use = Use.reading
  /// How long to wait for files that are not synchronised; nil for no wait.
  package var wait: SyncWait?
  /// Whether to continue after that time with the files that are here.
  var goesOn = true

  package init(
    folder: BackupFolder, namespace: Namespace, named: NamespaceID? = nil,
    isNamedInFull: Bool = false, candidates: [NamespaceID] = [], settled: NamespaceID? = nil,
    use: Use = .reading, wait: SyncWait? = nil, goesOn: Bool = true
  ) {
    self.folder = folder
    self.namespace = namespace
    self.named = named
    self.isNamedInFull = isNamedInFull
    self.candidates = candidates
    self.settled = settled
    self.use = use
    self.wait = wait
    self.goesOn = goesOn
  }
}

extension Backup {
  /// Finds the backup named by the options, the environment or the configuration, or otherwise in
  /// this computer's sync folders.
  ///
  /// See ``FolderOptions/path(_:_:)``.
  ///
  /// - Throws: `no-input` when there is none, `ambiguous` when there are
  ///   several and none is named, `incomplete` when it is not all here.
  package init(
    at path: String, _ options: FolderOptions, _ world: World, _ common: CommonOptions
  ) throws(UserMessage) {
    folder = try Self.folder(at: path, world, common)
    let id = try options.namespaceID(in: folder)
    named = id
    isNamedInFull = id != nil && options.namespace?.lowercased() == id?.hex
    do throws(BackupFolderError) {
      if id == nil {
        let found = try folder.candidates()
        if found.all.count > 1 { (candidates, settled) = (found.all, found.settled) }
      }
      namespace = try folder.namespace(
        candidates.isEmpty ? id : settled ?? Self.readable(candidates, in: folder))
    } catch {
      throw Self.missing(id, in: folder, world.run) ?? Self.others(than: id, in: folder)
        ?? Self.nearby(error, path) ?? UserMessage(error)
    }
  }

  /// The error to show instead of "no backup" if one is in the folder above or below.
  private static func nearby(_ error: BackupFolderError, _ path: String) -> UserMessage? {
    guard case .noNamespace = error else { return nil }
    let found = NearbyBackup.above(path).map { [$0] } ?? NearbyBackup.below(path)
    if found.isEmpty { return nil }
    return UserMessage(
      .noInput, "there is no backup in \(ShellWord.quoted(path)) itself",
      hint: found.map {
        "there is one in another folder; name that: --folder \(ShellWord.quoted($0))"
      }.joined(separator: "\n"))
  }

  /// The first of several whose key slots can be read.
  private static func readable(_ ids: [NamespaceID], in folder: BackupFolder) -> NamespaceID {
    ids.first { (try? folder.namespace($0).scan()) != nil } ?? ids[0]
  }

  /// The namespace that was opened, which may differ from the expected one if there are several.
  package func namespace(of opened: borrowing OpenNamespace) throws(UserMessage) -> Namespace {
    if opened.id == namespace.id { return namespace }
    do throws(BackupFolderError) {
      return try folder.namespace(opened.id)
    } catch {
      throw UserMessage(error)
    }
  }

  /// The error to show instead of "no backup" if the folder holds other backups.
  private static func others(than id: NamespaceID?, in folder: BackupFolder) -> UserMessage? {
    guard let id, let present = try? folder.namespaces(), !present.isEmpty, !present.contains(id)
    else { return nil }
    return UserMessage(
      .noInput, "\(ShellWord.quoted(folder.path)) holds another backup than \(id.hex)",
      hint: "if that one should be there, wait until the folder is synchronised\nthe folder holds "
        + present.map(\.hex).joined(separator: ", "))
  }

  /// The error to show instead of "no backup" if this computer knew one.
  package static func missing(_ id: NamespaceID?, in folder: BackupFolder, _ run: Run)
    -> UserMessage?
  {
    guard let present = try? folder.namespaces(),
      let gone = try? folder.vanishedNamespaces(), !gone.isEmpty,
      present.isEmpty || gone.contains(where: { $0 == id })
    else { return nil }
    run.others.vanished = gone
    return UserMessage(
      .rollback,
      "the backup that this computer knew is gone from \(ShellWord.quoted(folder.path)): "
        + NamespaceID.listed(gone),
      hint:
        "do not start another backup: wait until the folder is synchronised, and check the sync "
        + "program and its deleted files\nif it is gone for good, accept that: keybackup status "
        + "--accept")
  }

  /// Opens a folder with this computer's settings.
  ///
  /// - Parameters:
  ///   - path: the folder.
  ///   - world: gives this computer's state folder.
  ///   - common: reports what is waited for; nil to report nothing.
  /// - Returns: the open folder.
  /// - Throws: `no-input` when there is none; `config` without a home.
  package static func folder(
    at path: String, _ world: World, _ common: CommonOptions? = nil
  ) throws(UserMessage) -> BackupFolder {
    guard let state = world.stateFolder else {
      throw UserMessage(
        .config, "HOME is not set, so there is no place to remember what was seen",
        hint: "set HOME or XDG_STATE_HOME")
    }
    let now = world.now
    var settings = BackupFolder.Settings(
      stateFolder: state, writerLabel: world.hostName, clock: { UInt64(max(0, now())) })
    settings.watch.isInterrupted = { Interruption.received }
    if let common {
      settings.watch.waits = { path in
        let shown = ShellWord.quoted(path)
        common.prompter(world).tell("Waiting for \(shown) to be downloaded.")
        common.events(world).send(.sync(files: 1, path: path, secondsLeft: nil))
      }
    }
    do throws(BackupFolderError) {
      return try BackupFolder.open(path: path, settings: settings)
    } catch {
      throw UserMessage(error)
    }
  }

  /// The same backup with the namespace that was opened.
  package func moved(to opened: borrowing OpenNamespace) throws(UserMessage) -> Backup {
    Backup(
      folder: folder, namespace: try namespace(of: opened), named: named,
      isNamedInFull: isNamedInFull, use: use, wait: wait, goesOn: goesOn)
  }

  /// Reads the key slots.
  package func scan() throws(UserMessage) -> NamespaceScan {
    do throws(BackupFolderError) {
      return try namespace.scan()
    } catch {
      if case .incomplete = error, namespace.remembersNoKeySlot {
        throw UserMessage(
          .incomplete, "the last way into this backup was removed, so nothing opens it any more",
          hint: "older copies of the folder still open with the keys that were enrolled then\n"
            + "if a way in was added on another computer since, wait until the folder is synchronised"
        )
      }
      throw namingLostKeySlots(UserMessage(error))
    }
  }

  /// Adds to an error the key slots that this computer remembers and whose files are missing.
  func namingLostKeySlots(_ error: UserMessage) -> UserMessage {
    guard let lost = LostKeySlot.listed(namespace.lostKeySlots) else { return error }
    return error.adding(
      hint: "this computer remembers ways in whose files are gone: \(lost)\nlook for them among "
        + "the files that the sync program deleted\nor open the backup with another key or a "
        + "recovery code, and write them again: keybackup key repair")
  }

  /// The key slots, including the pending ones since the master key was rotated.
  ///
  /// If only a key can tell which namespace is meant, those of all namespaces.
  package func allKeySlots() throws(UserMessage) -> [KeySlot] {
    try keySlots(isOpen ? scanAll() : scan())
  }

  /// The slots among these that belong to the opened namespace.
  package func only(
    _ slots: [KeySlot], of opened: borrowing OpenNamespace
  ) throws(UserMessage) -> [KeySlot] {
    guard isOpen else { return slots }
    let own: Set<KeyID?>
    do throws(BackupFolderError) {
      own = Set(try opened.allKeySlots().map(\.keyID))
    } catch {
      throw UserMessage(error)
    }
    let known = slots.filter { own.contains($0.keyID) }
    return known.isEmpty ? slots : known
  }

  /// The slots of a scan, and the pending ones, for which a box waits.
  package func keySlots(_ scan: NamespaceScan) -> [KeySlot] {
    scan.keySlots + ((try? namespace.pendingKeySlots()) ?? [])
  }
}

extension LostKeySlot {
  /// Some of the slots in words; nil if there are none.
  package static func listed(_ slots: [LostKeySlot]) -> String? {
    if slots.isEmpty { return nil }
    let shown = slots.prefix(5).map {
      "\"\(PrintableText.name($0.label, limit: 40))\" (\(PrintableText.name($0.file, limit: 200)))"
    }.joined(separator: ", ")
    return slots.count > 5 ? shown + " and \(slots.count - 5) more" : shown
  }
}

extension [LostKeySlot] {
  /// Advice on key slots whose files are missing, a sentence or two each.
  package var advice: [String] {
    var advice: [String] = []
    if let lost = LostKeySlot.listed(filter { !$0.isForGood }) {
      advice.append(
        "files of ways in are gone: \(lost). To write them again: keybackup key repair")
    }
    for slot in self where slot.isForGood {
      advice.append(
        "\"\(PrintableText.name(slot.label, limit: 40))\" no longer opens this backup: its file was in an "
          + "earlier backup that is gone. Add it again here. To remove it as it was: keybackup key remove "
          + slot.keyID.hex)
    }
    return advice
  }
}

extension FolderOptions {
  /// The namespace that `--namespace` names, by its ID or a beginning that only it has.
  ///
  /// - Parameter folder: holds it, or held it.
  /// - Returns: nil: none is named.
  /// - Throws: `usage` when it is no ID, `no-input` when none begins so, `ambiguous` when several
  ///   do.
  package func namespaceID(in folder: BackupFolder) throws(UserMessage) -> NamespaceID? {
    // Digits in capitals are the same.
    guard let namespace = namespace?.lowercased() else { return nil }
    if let id = NamespaceID(hex: namespace) { return id }
    guard (ShortID.leastTyped..<32).contains(namespace.utf8.count),
      namespace.utf8.allSatisfy({ Hex.isDigit($0) })
    else {
      throw UserMessage(
        .usage, "a backup's ID has 32 hex digits",
        hint: "type all of them, or at least the first \(ShortID.leastTyped)")
    }
    let gone = (try? folder.vanishedNamespaces()) ?? []
    let present = (try? folder.namespaces()) ?? []
    let meant = Set(present + gone).filter { $0.hex.hasPrefix(namespace) }.sorted()
    guard let first = meant.first else {
      throw UserMessage(
        .noInput,
        "no backup in \(ShellWord.quoted(folder.path)) has an ID that begins with \(namespace)",
        hint: present.isEmpty
          ? "there is no backup yet, or it is not synchronised yet"
          : "there is: \(NamespaceID.listed(present))")
    }
    guard meant.count == 1 else {
      throw UserMessage(
        .ambiguous, "\(meant.count) backups have IDs that begin with \(namespace)",
        hint: "type more digits: \(NamespaceID.listed(meant))")
    }
    return first
  }
}
