internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import CommandSupport
internal import SecretMemory
internal import SyncFolders
internal import Unlocking
internal import WalletFormats

/// Exports wallets into Cove's `.covb`.
struct CovbExport {
  let unlock: UnlockOptions
  /// A new file.
  let file: String
  /// IDs or names; none: all wallets.
  let wallets: [String]
  let password: PasswordOptions
  let generatePassword: Bool
  let newPasswordFile: String?
  let place: SyncedFolderOption

  func run(in world: World) async throws(UserMessage) -> ExitReason {
    try OutputFile.requireFree(file)
    try OutputFile.requireFree(newPasswordFile)
    let made = CovbPassword.generate()
    let password = try wantedPassword(made, world)
    let backup = try await unlock.backup(world)
    // A password that somebody chose can be guessed.
    try place.requirePrivate(file, newPasswordFile, besides: backup.folder.path, world)
    var opened = try await backup.unlock(unlock, world)
    var writer = CovbWriter()
    var problems: [String] = []
    var notes: [String] = []
    let report = try append(from: &opened, to: &writer, &problems, &notes)
    let count = writer.count
    guard count > 0 else {
      throw UserMessage(
        problems.isEmpty ? .noInput : .dataInvalid,
        problems.isEmpty
          ? "there is no wallet to export"
          : "no wallet can be exported: " + problems.joined(separator: "; "))
    }
    let sealed: SecretBytes
    do throws(WalletFormatError) {
      let json = writer.finish(createdAt: UInt64(max(0, world.now())))
      sealed = try CovbFile.seal(json, password: password)
    } catch {
      throw UserMessage(error)
    }
    // The password's file first: without it the other is worth nothing.
    if let newPasswordFile { try OutputFile.write(Self.line(made), to: newPasswordFile, world.run) }
    do throws(UserMessage) {
      try OutputFile.write(sealed, to: file, world.run)
    } catch {
      if let newPasswordFile { OutputFile.remove(newPasswordFile) }
      throw error
    }
    try unlock.output(world).result(
      "Exported \(count) \(count == 1 ? "wallet" : "wallets") into \(ShellWord.quoted(file))",
      json: [
        "exported": .number(count), "out": .string(file),
        "problems": .array(problems.map(JSONOutput.string)),
        "notes": .array(notes.map(JSONOutput.string)),
      ], ofChange: "\(ShellWord.quoted(file)) was written all the same")
    for text in problems + notes { unlock.output(world).warn("keybackup: \(text)") }
    unlock.output(world).warn(report, opened.health, opened.logFindings, all: unlock.common.verbose)
    let reading = report.exitCode(opened.health, opened.logFindings)
    return .mostUrgent(of: [reading, problems.isEmpty ? .success : .partial])
  }

  /// The password: typed, given, or made here.
  private func wantedPassword(
    _ made: borrowing SecretBytes, _ world: World
  ) throws(UserMessage) -> CovbPassword {
    let prompter = unlock.common.prompter(world)
    if newPasswordFile != nil { return try CovbPassword.clean(made) }
    if generatePassword {
      guard let terminal = prompter.terminal else {
        throw UserMessage(
          .config, "there is no terminal to show the password on",
          hint: "use --new-password-file FILE")
      }
      terminal.show("Password of the file (write it down, it is shown once): ")
      try made.withBytes { (bytes) throws(UserMessage) in
        try Output.writeAll(bytes, to: terminal.descriptor)
      }
      terminal.show("\n")
      return try CovbPassword.clean(made)
    }
    return try CovbPassword.read(password, prompter, twice: true)
  }

  private static func line(_ password: borrowing SecretBytes) -> SecretBytes {
    var line = SecretWriter(capacity: password.count + 1)
    password.withBytes { line.raw($0) }
    line.raw("\n")
    return line.finish()
  }

  /// Writes every wallet that is meant and has a place in the file.
  private func append(
    from opened: inout OpenNamespace, to writer: inout CovbWriter, _ problems: inout [String],
    _ notes: inout [String]
  ) throws(UserMessage) -> WalletReport {
    var missing = Set(wallets)
    var similar = missing.reduce(into: [:]) { $0[$1] = SimilarWallets(to: $1) }
    var found: [String: [WalletRow]] = [:]
    let report = opened.forEachWallet { version, bytes in
      for selector in similar.keys { similar[selector]?.note(version) }
      let selectors = wallets.filter { WalletSelector.matches($0, version) }
      if selectors.isEmpty, !wallets.isEmpty { return }
      missing.subtract(selectors)
      for selector in selectors { found[selector, default: []].append(WalletRow(version)) }
      let entry = version.entry
      let title = "\"" + PrintableText.name(entry.name ?? entry.walletID, limit: 40) + "\""
      // A secret is not picked out of several.
      if version.state == .conflict {
        problems.append("\(title) has several versions: keybackup conflicts list")
        return
      }
      if version.state == .heldBack {
        problems.append(
          "\(title) is held back, as a retired computer wrote it: keybackup conflicts list")
        return
      }
      do throws(CovbProblem) {
        let wallet = try CovbWallet(entry, in: bytes)
        writer.append(wallet)
        for loss in wallet.losses { notes.append("\(title): \(loss.words)") }
        if let note = entry.missingPassphrase(in: bytes) { notes.append("\(title): \(note)") }
      } catch {
        problems.append("\(title) \(error.words)")
      }
    }
    try Interruption.check()
    if let absent = missing.sorted().first {
      throw UserMessage(
        .noInput, "there is no wallet \"\(PrintableText.name(absent))\" in the backup",
        hint: ShortID.shortHint(absent)
          + (similar[absent]?.advice.map { $0 + "\n" } ?? "")
          + "to see what is there: keybackup wallet list")
    }
    for (selector, rows) in found.sorted(by: { $0.key < $1.key }) {
      try WalletSelector.requireOne(selector, rows)
    }
    return report
  }
}

extension CovbWallet.Loss {
  /// The wallets that were left out, in words.
  fileprivate var words: String {
    switch self {
    case .descriptorBecomesPair:
      "its descriptor goes as a watch-only wallet's pair of descriptors"
    case .decoyMode: "that it is a decoy is not carried"
    case .missingMetadata(let field): "Cove may refuse it: its metadata lack \(field)"
    }
  }
}
