package import ArgumentParser
package import CommandKit
internal import SyncFolders
internal import Unlocking

/// In which form `wallet export` gives a wallet.
enum WalletExportFormat: String, ExpressibleByArgument, CaseIterable {
  /// BIP-39 words.
  case mnemonic
  /// Bitcoin Core's importdescriptors.
  case descriptors
  /// BIP-329 labels.
  case labels
  /// SeedQR: a picture of digits.
  case seedqr
  /// SeedQR: a smaller picture, of the entropy.
  case compactSeedQR = "compact-seedqr"
  /// The digits of a SeedQR.
  case seedQRDigits = "seedqr-digits"

  /// Whether it is a picture.
  var isPicture: Bool { self == .seedqr || self == .compactSeedQR }
}

/// `keybackup wallet export`: a wallet for another program, only as it is asked
/// for.
package struct WalletExportCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a wallet for another program.",
    discussion: """
      --covb FILE writes an encrypted file for the Cove wallet. All other formats are plain: \
      they need --out FILE or --reveal.
      A plain file is new, and only you may read it. Descriptors are watch-only unless \
      --private is given.
      """)

  @OptionGroup var unlock: UnlockOptions

  @Argument(help: ArgumentHelp("The wallet's ID, record ID or name.", valueName: "wallet"))
  var wallet: String?

  @Option(help: "The form of the wallet.")
  var format: WalletExportFormat?

  @Option(help: ArgumentHelp("Write it to this new file (a picture: PNG).", valueName: "file"))
  var out: String?

  @Flag(help: "Print it, also on a terminal.")
  var reveal = false

  @Option(
    name: [.customLong("version"), .customLong("version-id")],
    help: ArgumentHelp("Use this version, from wallet history.", valueName: "version"))
  var versionId: String?

  @OptionGroup var descriptors: DescriptorExportOptions

  @OptionGroup var passphrase: WalletPassphraseOption

  @Option(help: ArgumentHelp("Write a .covb file for the Cove wallet.", valueName: "file"))
  var covb: String?

  @Option(
    name: .customLong("wallet"),
    help: ArgumentHelp("With --covb, this wallet (repeat it; default: all).", valueName: "wallet"))
  var wallets: [String] = []

  @OptionGroup var password: PasswordOptions

  @Flag(help: "With --covb, make a new password and show it on the terminal.")
  var generatePassword = false

  @Option(
    help: ArgumentHelp(
      "With --covb, make a new password and write it to this new file.", valueName: "file"))
  var newPasswordFile: String?

  @OptionGroup var place: SyncedFolderOption

  package init() {}

  package mutating func validate() throws {
    for name in wallets + [wallet].compactMap({ $0 }) {
      if let problem = WalletSelector.problem(name) { throw ValidationError(problem) }
    }
    if let versionId, let problem = VersionSelector.problem(versionId) {
      throw ValidationError(problem)
    }
    if covb != nil {
      try validateCovb()
    } else {
      try validatePlain()
    }
    try unlock.requireOtherInput(than: password.input)
  }

  private func validateCovb() throws {
    if wallet != nil || format != nil || out != nil || reveal || versionId != nil
      || passphrase.isGiven || descriptors.isGiven
    {
      throw ValidationError("with --covb, wallets are named with --wallet")
    }
    if covb == "" || covb == "-" { throw ValidationError("--covb names a file") }
    let slots = [password.isGiven, generatePassword, newPasswordFile != nil].count { $0 }
    if slots > 1 { throw ValidationError("the password comes from one place") }
  }

  private func validatePlain() throws {
    guard let format else { throw ValidationError("name a --format, or --covb FILE") }
    guard wallet != nil else { throw ValidationError("name the wallet") }
    if !wallets.isEmpty || password.isGiven || generatePassword || newPasswordFile != nil {
      throw ValidationError("--wallet and passwords go with --covb")
    }
    if out == "" || out == "-" { throw ValidationError("--out names a file; --reveal prints") }
    if reveal, out != nil { throw ValidationError("--reveal prints, --out writes: choose one") }
    if !reveal, out == nil {
      throw ValidationError(
        "what would be exported is secret: write it with --out FILE, or print it with --reveal")
    }
    if format != .descriptors, passphrase.isGiven || descriptors.isGiven {
      throw ValidationError(
        "--private, --account, --timestamp and --passphrase go with --format descriptors")
    }
    if format.isPicture, reveal, unlock.common.json {
      throw ValidationError("a picture is no JSON: use --format seedqr-digits")
    }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    if let covb {
      return try await CovbExport(
        unlock: unlock, file: covb, wallets: wallets, password: password,
        generatePassword: generatePassword, newPasswordFile: newPasswordFile, place: place
      ).run(in: world)
    }
    return try await PlainExport(
      unlock: unlock, wallet: wallet ?? "", format: format ?? .mnemonic, out: out,
      versionID: versionId, descriptors: descriptors.wanted, passphrase: passphrase, place: place
    ).run(in: world)
  }
}
