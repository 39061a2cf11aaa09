import BackupFolder
import CSPP
import TestSupport

extension FileWorld {
  /// The writer that a computer is; nil while it waits for an answer.
  func writer(_ machine: Machine) throws(BackupFolderError) -> LocalSilentWriter? {
    try folder(machine).localSilentWriters().last { $0.namespaceID != nil }
  }

  /// Authorises a computer, or authorises it again for the namespace that is in charge now.
  ///
  /// The lines go by another way than the folder.
  @discardableResult
  func authorise(_ silent: Machine, by keyed: Machine, crashAt change: Int? = nil) -> Bool {
    var request: String?
    var isNewKey = false
    play(silent, "requests", crashAt: nil) { () throws(BackupFolderError) in
      let known = try writer(silent)
      // A key that was retired never returns.
      isNewKey = oracle.retirements.contains { $0.key == known?.signingKey }
      request = try folder(silent).requestSilentWriting(
        label: .of(silent.name), continuing: isNewKey ? nil : known
      ).line
      return ""
    }
    let may: SilentWriter.Permissions =
      Bool.random(using: &generator) ? [.filePut, .fileRemove, .put] : [.filePut]
    var answer: String?
    play(keyed, "authorises \(silent.name)", crashAt: change) { () throws(BackupFolderError) in
      guard let request, let parsed = try? WriterRequest(parsing: request) else { return "nothing" }
      guard var opened = try open(keyed), !opened.isSuperseded else { return "opens nothing" }
      let line = try opened.namespace.authorise(parsed, may: may).answer
      if !Crash.hasHappened { answer = line }
      return "in \(opened.namespace.id.hex.prefix(4))"
    }
    guard let answer else { return false }
    var isDone = false
    play(silent, "accepts", crashAt: change) { () throws(BackupFolderError) in
      _ = try folder(silent).acceptSilentWriting(answer)
      if isNewKey, !Crash.hasHappened { (silent.last, silent.texts) = ([:], [:]) }
      isDone = !Crash.hasHappened
      return ""
    }
    return isDone
  }

  /// Adds a version of a file without the key.
  func write(
    _ machine: Machine, crashAt change: Int? = nil, isForged: Bool = false,
    mayReplace: Set<Digest>? = nil, isSigned: Bool = true
  ) {
    let name = FileWorld.names.randomElement(using: &generator) ?? ""
    var text = newText()
    if let last = machine.texts[name], !isForged, Int.random(in: 0..<4, using: &generator) == 0 {
      text = last
    }
    if isForged { oracle.forbidden.insert(FileTexts.digest(text)) }
    play(machine, "writes \(name) \(text)", crashAt: change) { () throws(BackupFolderError) in
      guard let writer = try writer(machine) else { return "not authorised yet" }
      let before = machine.last[name].map { Set([$0]) } ?? []
      let number = begin(
        nil, mayReplace: mayReplace ?? before.union(killedVersions(of: name, at: machine, writer)),
        at: writer.namespaceID, key: writer.signingKey)
      machine.texts[name] = text
      let there = isSigned ? [] : sealedFiles(machine)
      let result = try add(text, name, machine, writer)
      if !isSigned { unsign(sealedFiles(machine).subtracting(there), at: machine) }
      if Crash.hasHappened { return "" }
      guard case .added(let file, let operation, _) = result else {
        oracle.acts[number].mayReplace = []
        return "unchanged"
      }
      if isForged { return "forged" }
      let isHonest = machine.role == .silent
      // After the folder was set back, the last version may be published again. It does not replace itself.
      oracle.acts[number].mayReplace.remove(operation.digest)
      let replaced = before.subtracting([operation.digest]).filter {
        oracle.written[$0]?.key == writer.signingKey && oracle.written[$0]?.file == file
      }
      if isHonest { acknowledge(number, replaced) }
      oracle.acts[number].file = file
      oracle.acts[number].version = operation.digest
      machine.last[name] = operation.digest
      oracle.include(
        .init(made: operation.digest, file: file, key: writer.signingKey, isHonest: isHonest))
      return "is \(operation.digest.stem.prefix(6)) of \(file.hex.prefix(4))"
    }
  }

  /// The versions of a file that a computer remembers, as its state tells.
  ///
  /// A run that was killed may have remembered one that only another run reports: its own, or that of
  /// a clone of its disk. Nobody may have reported it yet.
  private func killedVersions(
    of name: String, at machine: Machine, _ writer: LocalSilentWriter
  ) -> Set<Digest> {
    machine.rememberedVersions(of: name).filter { version in
      oracle.written[version].map { $0.key == writer.signingKey } ?? true
    }
  }

  private func sealedFiles(_ machine: Machine) -> Set<String> {
    Set(Disk.files(machine.replica.folder).keys.filter(FilePath.isSealed))
  }

  /// A silent writer never stops for what lies in the folder.
  private func add(
    _ text: String, _ name: String, _ machine: Machine, _ writer: LocalSilentWriter
  ) throws(BackupFolderError) -> AddedVersion {
    do throws(BackupFolderError) {
      return try folder(machine).addSilently(
        FileTexts.contents(text), name: .of(name), as: writer)
    } catch {
      if case .silentWriter(.noNamespace) = error { throw error }
      if !Crash.hasHappened { violate("\(machine.name) stops: \(error)") }
      throw error
    }
  }

  /// Removes a file without the key.
  func removeSilently(_ machine: Machine, crashAt change: Int? = nil, isPermitted: Bool = true) {
    let name = FileWorld.names.randomElement(using: &generator) ?? ""
    play(machine, "removes \(name)", crashAt: change) { () throws(BackupFolderError) in
      guard let writer = try writer(machine) else { return "not authorised yet" }
      let last = isPermitted ? machine.last[name].map { Set([$0]) } ?? [] : []
      let killed = isPermitted ? killedVersions(of: name, at: machine, writer) : []
      let file = writer.files[.of(name)]
      let number = begin(
        file, mayReplace: last.union(killed), at: writer.namespaceID, key: writer.signingKey,
        isRemoval: true)
      try folder(machine).removeSilently(name: .of(name), as: writer)
      let removed = last.filter {
        oracle.written[$0]?.key == writer.signingKey && oracle.written[$0]?.file == file
      }
      if machine.role == .silent { acknowledge(number, removed) }
      machine.texts[name] = nil
      return ""
    }
  }

  /// Adds a wallet without the key.
  func addWallet(_ machine: Machine, crashAt change: Int? = nil, isForged: Bool = false) {
    let wallet = World.wallets.randomElement(using: &generator) ?? ""
    let words = newWords()
    if isForged { oracle.forbiddenWords.insert(words) }
    play(machine, "adds \(wallet) = \(words)", crashAt: change) { () throws(BackupFolderError) in
      guard let writer = try writer(machine) else { return "not authorised yet" }
      let number = begin(
        RecordID(walletID: wallet), words, [], key: writer.signingKey,
        isHonest: machine.role == .silent && !isForged)
      _ = try folder(machine).addSilently(FileTexts.batch(wallet, words: words), as: writer)
      acknowledgeWallet(number)
      return ""
    }
  }
}
