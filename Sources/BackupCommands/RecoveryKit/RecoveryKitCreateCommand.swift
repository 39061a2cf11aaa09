package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import SecretMemory
internal import SecurityKeys
internal import SyncFolders
internal import Unlocking

/// `keybackup recovery-kit create`: draws a code and makes it a key slot.
package struct RecoveryKitCreateCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Make a recovery code and a page to print.",
    discussion: """
      The code is shown once: on the terminal, or in the page that --out writes. It is \
      stored nowhere.
      --offline adds the backup's key, sealed with the code. The kit then needs only the \
      wallet files.
      --secret-file makes a second secret necessary: all bytes of a file that you keep \
      elsewhere. The file is made here if it is not there.
      """)

  @OptionGroup var unlock: UnlockOptions
  @OptionGroup var second: NewSecondSecretOptions

  @Option(help: ArgumentHelp("What to call the kit.", valueName: "name"))
  var label = "Recovery kit"

  @Option(
    help: ArgumentHelp(
      "Whose backup it is, for the page's title (default: a line to write it on).",
      valueName: "name"))
  var owner: String?

  @Option(
    help: ArgumentHelp(
      "Write the page to print, with the code, to this new HTML file.",
      valueName: "file"))
  var out: String?

  @Option(
    help: ArgumentHelp(
      "Make an offline kit: write its file here, and its QR code into the page.",
      valueName: "file"))
  var offline: String?

  @Flag(help: "Print the code, also beside --out or without a terminal.")
  var reveal = false

  @OptionGroup var place: SyncedFolderOption

  package init() {}

  package mutating func validate() throws {
    if label.isEmpty || label.utf8.count > 200 {
      throw ValidationError("a label has 1 to 200 bytes")
    }
    if let owner, owner.trimmed.isEmpty || owner.utf8.count > 200 {
      throw ValidationError("an owner's name has 1 to 200 bytes, and not spaces alone")
    }
    if out == nil { try GivenOptions(["--owner": owner != nil]).refuse(without: "--out") }
    for path in [out, offline] where path == "" || path == "-" {
      throw ValidationError("--out and --offline name files")
    }
    if out != nil, out == offline { throw ValidationError("--out and --offline are two files") }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    try checkPlaces(world)
    let backup = try await unlock.backup(world, for: .writing, using: ["--secret-file"])
    let secretFile = unlock.recovery.secretFile.flatMap { $0 == "-" ? nil : $0 }
    let printed = showsCode ? unlock.output(world).resultFile : nil
    try place.requirePrivate(
      out, offline, secretFile, printed: printed, besides: backup.folder.path, world)
    for path in [out, offline].compactMap({ $0 }) { try OutputFile.requireCreatable(path) }
    var terms = UnlockTerms()
    if unlock.pins.pinFd != nil { terms.furtherPINs = second.neededPINs }
    var opened = try await backup.unlock(unlock, world, terms)
    let namespace = try backup.namespace(of: opened)
    let chosen = try await second.choose(unlock, world)
    let kit = try NewKit(label: label, second: chosen.kind)
    let secret = try kit.secret(second: chosen.secret)
    var page = KitPage(
      namespaceID: opened.id, keyID: kit.enrolment.keyID, owner: owner, label: label,
      createdAt: UInt64(max(0, world.now())), folderName: folderName(backup.folder.path),
      derivation: kit.derivation)
    let keyring = KeyringSecondSecret(
      keyID: kit.enrolment.keyID, common: unlock.common, world: world)
    if chosen.kind == .keyring { try keyring.keep(chosen.secret) }
    // The page comes first: a key slot that nobody holds the code of would count
    // as one.
    do throws(UserMessage) {
      if let out { try OutputFile.write(page.html(kit.code), to: out, world.run) }
    } catch {
      if chosen.kind == .keyring { keyring.forget() }
      throw error
    }
    if showsCode {
      do throws(UserMessage) {
        try show(kit.code, when: "It opens the backup only once this command says so.", world)
      } catch {
        if let out { OutputFile.remove(out) }
        if chosen.kind == .keyring { keyring.forget() }
        throw error.adding(hint: "the code does not open the backup: no way in was added")
      }
    }
    do throws(UserMessage) {
      try publish(kit, secret, in: &opened)
    } catch {
      guard isAbsent(kit.enrolment.keyID, namespace) else {
        throw error.adding(
          hint: "the kit may open the backup all the same; to find out: keybackup recovery-kit test"
        )
      }
      if let out { OutputFile.remove(out) }
      if chosen.kind == .keyring { keyring.forget() }
      throw showsCode || out == nil
        ? error.adding(hint: "the code does not open the backup: no way in was added") : error
    }
    var isFinished = false
    do throws(UserMessage) {
      try kit.prove(second: chosen.secret, in: namespace)
      do throws(UserMessage) {
        page.freshness = FreshnessWord(opened.health.freshness)?.grouped ?? ""
        try finish(&page, kit, namespace, world.run)
      } catch {
        guard isHandedOver else { throw error }
        throw error.adding(
          hint: "the kit \(kit.enrolment.keyID.hex.prefix(8)) opens the backup all the same"
            + (out == nil ? "" : "; its page is complete but for the offline part"))
      }
      isFinished = true
      let sharing = opened.keySlots(sharing: label, besides: [kit.enrolment.keyID])
      return try report(kit, opened.id, sharing, world)
    } catch {
      if isHandedOver { throw error }
      let (isGone, words) = takeAway(kit.enrolment.keyID, from: &opened)
      if isGone {
        if isFinished, let offline { OutputFile.remove(offline) }
        if chosen.kind == .keyring { keyring.forget() }
      }
      throw error.adding(hint: words)
    }
  }

  /// Whether the code was shown or written before it became a key slot: JSON is
  /// one object, and comes last.
  private var isHandedOver: Bool { out != nil || !unlock.common.json }

  /// Takes a key slot away of which nobody has the code.
  private func takeAway(
    _ key: KeyID, from opened: inout OpenNamespace
  ) -> (isGone: Bool, words: String) {
    do throws(BackupFolderError) {
      try opened.removeKeySlots([key])
    } catch {
      return (
        false,
        "nobody has the code of this kit; take it away: keybackup recovery-kit revoke "
          + key.hex.prefix(8)
      )
    }
    return (true, "nobody has the code, so the way in was taken away again")
  }

  /// Whether the folder certainly does not hold the key slot: else its page and its
  /// second secret stay.
  private func isAbsent(_ key: KeyID, _ namespace: Namespace) -> Bool {
    do {
      return try namespace.keyFile(of: key) == nil
    } catch {
      return false
    }
  }

  /// Whether the code itself is printed.
  private var showsCode: Bool { reveal || out == nil }

  private func checkPlaces(_ world: World) throws(UserMessage) {
    guard out != nil || reveal || (unlock.output(world).resultIsTerminal && !unlock.common.json)
    else {
      throw UserMessage(
        .usage, "there is no terminal to show the recovery code on",
        hint: "write the page to a file with --out FILE, or print the code with --reveal")
    }
    try OutputFile.requireFree(out)
    try OutputFile.requireFree(offline)
  }

  private func folderName(_ path: String) -> String {
    let whole = FileCheck.absolute(path) ?? path
    return whole.split(separator: "/").last.map(String.init) ?? whole
  }

  private func show(_ code: borrowing RecoveryCode, when: String, _ world: World)
    throws(UserMessage)
  {
    if unlock.common.json { return }
    var text = SecretText()
    if unlock.output(world).resultIsTerminal { text.append("\n    ") }
    text.append(text: code.grouped)
    text.append(unlock.output(world).resultIsTerminal ? "\n\n" : "\n")
    try unlock.output(world).result(secret: text.finish())
    unlock.output(world).note(
      "This is the recovery code. It is shown only once: write it down. " + when)
  }

  private func publish(
    _ kit: borrowing NewKit, _ secret: borrowing SecretBytes, in opened: inout OpenNamespace
  ) throws(UserMessage) {
    let again = secret.copy()
    do throws(BackupFolderError) {
      try opened.addKeySlot(kit.enrolment, secret: secret, confirmedBy: again)
    } catch {
      throw UserMessage(error)
    }
  }

  /// Writes the page as it is known only now, and the offline part.
  private func finish(
    _ page: inout KitPage, _ kit: borrowing NewKit, _ namespace: Namespace, _ run: Run
  ) throws(UserMessage) {
    do throws(BackupFolderError) {
      if offline != nil { page.offline = try namespace.keyFile(of: kit.enrolment.keyID) }
    } catch {
      throw UserMessage(error)
    }
    if let offline, let file = page.offline {
      try OutputFile.write(unsafe SecretBytes(copying: file.span.bytes), to: offline, run)
    }
    if let out { try OutputFile.replace(out, with: page.html(kit.code)) }
  }

  private func report(
    _ kit: borrowing NewKit, _ namespace: NamespaceID, _ sharing: [KeyID], _ world: World
  ) throws(UserMessage) -> ExitReason {
    let keyID = kit.enrolment.keyID.hex
    if unlock.common.json {
      var json: JSONOutput = [
        "namespace_id": .string(namespace.hex), "key_id": .string(keyID),
        "kind": "recovery_code", "label": .string(label), "out": .optional(out),
        "offline": .optional(offline), "second_secret": .optional(kit.derivation.secondSecretWord),
        "same_label": .array(sharing.map { .string($0.hex) }),
      ]
      if reveal { json["code"] = .string(kit.code.revealed) }
      try unlock.output(world).result(json: json)
      unlock.output(world).warn(sharing: sharing, of: label, new: kit.enrolment.keyID)
      return .success
    }
    do throws(UserMessage) {
      try unlock.output(world).result("The recovery kit \(keyID.prefix(8)) opens the backup now.")
    } catch {
      throw error.adding(hint: "the kit \(keyID.prefix(8)) opens the backup all the same")
    }
    unlock.output(world).warn(sharing: sharing, of: label, new: kit.enrolment.keyID)
    let test = RecoveryKitTestCommand.line(kit.enrolment.keyID, kit.derivation)
    for line in nextSteps(test, world.run.typed) {
      unlock.output(world).note(required: line)
    }
    return .success
  }

  /// The next steps, in order: the page is deleted once it was printed and the code on the
  /// paper has opened the backup.
  private func nextSteps(_ test: String, _ typed: TypedSecrets) -> [String] {
    var steps: [String] = []
    let page = out.map { typed.naming($0, else: "the file that --out names") }
    if let page { steps.append("Print \(page)") }
    if let offline, out == nil {
      let file = typed.naming(offline, else: "the file that --offline names")
      steps.append("Keep \(file) with the code, away from the folder.")
    }
    steps.append("Test the code as it stands on paper. Until then it does not count. Run: \(test)")
    if let page { steps.append("Delete \(page): anyone who reads it can open the backup.") }
    return steps.count == 1 ? steps : steps.enumerated().map { "\($0 + 1). \($1)" }
  }
}
