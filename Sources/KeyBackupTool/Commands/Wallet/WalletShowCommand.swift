internal import ArgumentParser
internal import BackupFolder
internal import CSPP
internal import SecretMemory

/// `keybackup wallet show`: one wallet; its secret only when asked for.
struct WalletShowCommand: ParsableCommand, KeyBackupCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show one wallet of the backup.",
    discussion: "Without --reveal or --out, everything but the secret is shown.")

  @OptionGroup var unlock: UnlockOptions

  @Argument(help: ArgumentHelp("The wallet's ID, record ID or name.", valueName: "wallet"))
  var wallet: String

  @Flag(help: "Print the secret too, also on a terminal.")
  var reveal = false

  @Option(
    help: ArgumentHelp(
      "Write the decrypted entry, secret and all, to this new file, or - and nothing else.",
      valueName: "file"))
  var out: String?

  mutating func validate() throws {
    if out == "-", unlock.common.json {
      throw ValidationError("--json has standard output to itself: use --reveal")
    }
  }

  func run(in world: World) async throws(UserMessage) -> ExitCode {
    let printsEntry = out == "-"
    let out = printsEntry ? nil : out
    if printsEntry, !reveal { try unlock.output.requireNoTerminal("the entry") }
    try OutputFile.requireFree(out)
    let backup = try await unlock.backup(world)
    if let out { try FileCheck.requireOutside(out, of: backup.folder.path) }
    var opened = try await backup.unlock(
      unlock.finder(world), rpID: unlock.relyingParty.rpId)
    var found: [WalletRow] = []
    // The bytes of the version that `only` will choose: the first that is
    // meant, and one meant by its ID before any meant by its name.
    var bytes = SecretBytes(zeroed: 0)
    var isByID = false
    let report = opened.forEachWallet { version, entry in
      guard WalletSelector.matches(wallet, version) else { return }
      let row = WalletRow(version)
      let matchesID = WalletSelector.matchesID(wallet, row)
      if found.isEmpty || (matchesID && !isByID) { bytes = entry.copy() }
      isByID = isByID || matchesID
      found.append(row)
    }
    try Interruption.check()
    let row = try WalletSelector.only(
      found, wallet, report, opened.health, opened.logFindings)
    if found.count(where: { $0.recordID == row.recordID }) > 1 {
      unlock.output.note("This wallet has several versions; keybackup restore writes them all.")
    }
    if printsEntry {
      try unlock.output.result(secret: bytes)
      return .success
    }
    if let out {
      let file = try OutputFile(creating: out)
      try bytes.withBytes { (bytes) throws(UserMessage) in try file.write(bytes) }
      try file.synchronize()
    }
    try show(row, bytes)
    return .success
  }

  private func show(_ row: WalletRow, _ bytes: borrowing SecretBytes) throws(UserMessage) {
    let output = unlock.output
    if unlock.common.json {
      guard reveal else {
        try output.result(json: ["wallet": row.json])
        return
      }
      // The entry is JSON already: it goes out as it is, from guarded memory.
      let head = #"{"entry":"#
      let tail = #","schema":1,"wallet":\#(row.json.text)}"#
      try output.write(text: head)
      try output.result(secret: bytes)
      try output.result(tail)
      return
    }
    for (heading, cell) in zip(WalletRow.headings, row.cells) {
      try output.result(
        heading + String(repeating: " ", count: 13 - heading.count) + cell)
    }
    if reveal {
      try output.write(text: "ENTRY        ")
      try output.result(secret: bytes)
      try output.result("")
    }
  }
}

/// Finds the wallet a person names by its ID, record ID or name.
enum WalletSelector {
  /// Whether a wallet is meant.
  static func matches(_ selector: String, _ version: WalletVersion) -> Bool {
    version.entry.walletID == selector || version.recordID.hex == selector
      || version.entry.name == selector
  }

  /// Whether a wallet is meant by its ID or record ID.
  static func matchesID(_ selector: String, _ row: WalletRow) -> Bool {
    row.id == selector || row.recordID.hex == selector
  }

  /// The one wallet that is meant: its first version.
  ///
  /// An ID wins over a name.
  ///
  /// - Throws: `no-input` for none, or what else is wrong where not everything
  ///   could be read; `ambiguous` for several of one name.
  static func only(
    _ found: [WalletRow], _ selector: String, _ report: WalletReport, _ health: LogHealth,
    _ logFindings: [FileFinding]
  ) throws(UserMessage) -> WalletRow {
    let byID = found.filter { matchesID(selector, $0) }
    let meant = byID.isEmpty ? found : byID
    guard let first = meant.first else {
      let name = PrintableText.clean(selector)
      let reading = report.exitCode(health, logFindings)
      guard reading != .success else {
        throw UserMessage(
          .noInput, "there is no wallet \"\(name)\" in the backup",
          hint: "keybackup wallet list shows what is there")
      }
      throw UserMessage(
        reading, "no wallet \"\(name)\" could be read",
        hint: "not everything in the folder could be; keybackup verify --deep tells what")
    }
    guard meant.allSatisfy({ $0.recordID == first.recordID }) else {
      throw UserMessage(
        .ambiguous, "several wallets have this name",
        hint: "name one by its ID: " + meant.map(\.id).joined(separator: ", "))
    }
    return first
  }
}
