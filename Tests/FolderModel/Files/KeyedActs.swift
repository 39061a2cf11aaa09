import BackupFolder
import CSPP
import SecretMemory
import TestSupport

/// What a person with the key asks for.
enum KeyedAct: String {
  case add, remove, choose, prune, retire, look, repair, rotate, wallet, removeWallet, keepWallet
}

extension FileWorld {
  /// Runs the program once on a computer with the key.
  func run(_ machine: Machine, _ act: KeyedAct, crashAt change: Int? = nil) {
    play(machine, act.rawValue, crashAt: change) { () throws(BackupFolderError) in
      guard var opened = try open(machine) else { return "opens nothing yet" }
      if opened.isSuperseded { return "only read" }
      if kind == .rotation {
        _ = try opened.namespace.mergeRivals()
        _ = try opened.namespace.discardOvertaken()
      }
      let seen = try look(opened.namespace, at: machine)
      return try perform(act, &opened.namespace, seen, at: machine)
    }
  }

  /// Opens the namespace in charge with the user's key; nil while no key slot is here.
  func open(_ machine: Machine) throws(BackupFolderError) -> ResolvedNamespace? {
    let folder = try folder(machine)
    var secrets: [KeySlotSecret] = []
    var keys: [SharedMasterKey] = []
    for id in try folder.openable() {
      guard let scan = try? folder.namespace(id).scan() else { continue }
      for slot in scan.keySlots {
        guard let keyID = slot.keyID,
          let key = try? slot.unwrap(secret: SecurityKey.prfOutput())
        else { continue }
        keys.append(SharedMasterKey(key))
        secrets.append(KeySlotSecret(keyID, SecurityKey.prfOutput()))
      }
    }
    guard let start = keys.first, let slot = secrets.first else { return nil }
    var compared: NamespaceID?
    while true {
      var found = try folder.namespace(start.namespaceID).follow(
        start.copy(), by: slot.keyID, slots: secrets, keys: keys, compared: compared)
      if case .uncompared(let id) = found.obstacle, compared != id {
        compared = id
        continue
      }
      found.remember()
      return found
    }
  }

  private func perform(
    _ act: KeyedAct, _ open: inout OpenNamespace, _ seen: SeenFiles, at machine: Machine
  ) throws(BackupFolderError) -> String {
    switch act {
    case .look:
      for version in seen.versions { _ = canRead(version, open, at: machine) }
      return "\(seen.versions.count) versions"
    case .repair:
      try open.repair()
      return ""
    case .add: return try add(&open, seen)
    case .remove: return try remove(&open, seen)
    case .choose: return try choose(&open, seen)
    case .prune: return try prune(&open, seen, at: machine)
    case .retire: return try retire(&open, seen, at: machine)
    case .rotate: return try rotate(&open, at: machine)
    case .wallet, .removeWallet, .keepWallet: return try change(act, &open)
    }
  }

  // MARK: Files

  /// A file that is listed.
  private func someFile(_ seen: SeenFiles) -> BackedUpFile? {
    let known = oracle.files.compactMap { seen.file($0) }
    return known.randomElement(using: &generator)
  }

  private func add(_ open: inout OpenNamespace, _ seen: SeenFiles) throws(BackupFolderError)
    -> String
  {
    let file = Int.random(in: 0..<3, using: &generator) == 0 ? nil : someFile(seen)
    var text = newText()
    let newest = file?.live.first.flatMap { oracle.texts[$0.content] }
    if let newest, Int.random(in: 0..<6, using: &generator) == 0 { text = newest }
    let name = file?.newest?.name ?? .of(["doc", "seed"].randomElement(using: &generator) ?? "doc")
    let live = file?.live ?? []
    let late = file?.versions.filter { $0.standing == .late } ?? []
    var replaced = live
    if late.isEmpty, file?.isConflicted == true { replaced = live.filter { $0.by == nil } }
    let number = begin(
      file?.id, mayReplace: Set((replaced + late).map(\.made)), at: open.id)
    let result = try open.addFile(FileTexts.contents(text), name: name, to: file?.id)
    if Crash.hasHappened { return text }
    guard case .added(let id, let operation, _) = result else {
      oracle.acts[number].mayReplace = []
      return "unchanged"
    }
    oracle.acts[number].isAcknowledged = true
    oracle.acts[number].replaces = late.isEmpty ? Set(replaced.map(\.made)) : []
    oracle.acts[number].version = operation.digest
    oracle.include(.init(made: operation.digest, file: id, key: nil, isHonest: true))
    return "\(text) is \(operation.digest.stem.prefix(6)) of \(id.hex.prefix(4)) for "
      + "\(replaced.map { $0.made.stem.prefix(6) })"
  }

  private func remove(_ open: inout OpenNamespace, _ seen: SeenFiles) throws(BackupFolderError)
    -> String
  {
    guard let file = someFile(seen) else { return "nothing" }
    let despite = Int.random(in: 0..<4, using: &generator) == 0
    let counting = Set(file.versions.filter(\.counts).map(\.made))
    let number = begin(file.id, mayReplace: counting, at: open.id)
    try open.removeFile(file.id, despiteGaps: despite)
    oracle.acts[number].refuses = Set(file.heldBack.map(\.made))
    acknowledge(number, despite ? Set(file.live.map(\.made)) : counting)
    return "\(file.id.hex.prefix(4)): \(counting.map { $0.stem.prefix(6) })"
  }

  private func choose(_ open: inout OpenNamespace, _ seen: SeenFiles) throws(BackupFolderError)
    -> String
  {
    guard let file = someFile(seen) else { return "nothing" }
    let versions = file.versions.sorted { $0.made < $1.made }
    let known = versions.filter { oracle.written[$0.made] != nil }
    guard let version = known.randomElement(using: &generator) else { return "nothing" }
    return try choose(version, of: file, &open, seen)
  }

  func choose(
    _ version: StoredVersion, of file: BackedUpFile, _ open: inout OpenNamespace,
    _ seen: SeenFiles, despiteGaps: Bool? = nil
  ) throws(BackupFolderError) -> String {
    let despite = despiteGaps ?? (Int.random(in: 0..<4, using: &generator) == 0)
    let others = Set(file.versions.filter { $0.counts && $0.made != version.made }.map(\.made))
    let number = begin(file.id, mayReplace: others, at: open.id)
    // The only version that counts needs no decision, and none is written.
    oracle.acts[number].chosen = others.isEmpty && version.counts ? nil : version.made
    // What is accepted puts nothing aside that follows it: then it is one that was replaced.
    oracle.acts[number].listed = version.standing == .heldBack ? [] : seen.listed
    try open.choose(version, despiteGaps: despite)
    oracle.acts[number].refuses = Set(
      version.standing == .heldBack ? [version.made] : file.heldBack.map(\.made))
    acknowledge(number, despite || version.standing == .heldBack ? [] : others)
    return "\(version.made.stem.prefix(6)) (\(version.standing)) of \(file.id.hex.prefix(4))"
  }

  private func prune(
    _ open: inout OpenNamespace, _ seen: SeenFiles, at machine: Machine
  ) throws(BackupFolderError) -> String {
    let kept = Int.random(in: 0...1, using: &generator)
    let despite = Int.random(in: 0..<4, using: &generator) == 0
    var may: Set<Digest> = []
    for file in seen.files {
      for version in file.versions
      where !version.counts && version.standing != .heldBack
        && oracle.texts[version.content].map(FileTexts.isLarge) == true
        && file.versions.count > kept + 1 && machine.replacedRuns[version.made, default: 0] >= 7
      {
        may.insert(version.made)
      }
    }
    oracle.mayDrop.formUnion(may)
    let pruned = try open.pruneFiles(keeping: kept, despiteGaps: despite)
    return "\(pruned.versions) of \(may.count)"
  }

  private func retire(
    _ open: inout OpenNamespace, _ seen: SeenFiles, at machine: Machine
  ) throws(BackupFolderError) -> String {
    let writers = open.silentWriters().filter { !$0.isRetired }
      .sorted { $0.writer.label.text < $1.writer.label.text }
    guard let writer = writers.randomElement(using: &generator)?.writer else { return "nobody" }
    let counted = seen.versions.filter { $0.standing != .heldBack }.map(\.made)
    let number = begin(nil, mayReplace: [], at: open.id)
    oracle.retirements.append(
      .init(
        key: writer.signingKey, known: Set(counted), present: machine.operations, act: number))
    do throws(BackupFolderError) {
      try open.retire(writer.signingKey, despiteGaps: Bool.random(using: &generator))
    } catch {
      if !Crash.hasHappened { oracle.retirements.removeLast() }
      throw error
    }
    acknowledge(number, [])
    return writer.label.text
  }

  // MARK: Acts

  /// Notes that a person asks for something.
  func begin(
    _ file: FileID?, mayReplace: Set<Digest>, at namespace: NamespaceID?, key: SigningKey? = nil,
    isRemoval: Bool = false
  ) -> Int {
    oracle.acts.append(
      .init(
        file: file, mayReplace: mayReplace, namespace: namespace, key: key, isRemoval: isRemoval))
    return oracle.acts.count - 1
  }

  /// Notes that the program reports it as done.
  func acknowledge(_ act: Int, _ replaced: Set<Digest>) {
    if Crash.hasHappened { return }
    oracle.acts[act].isAcknowledged = true
    oracle.acts[act].replaces = replaced
  }
}
