package import ArgumentParser
package import CommandKit
internal import SyncFolders
internal import Unlocking

/// The format of a file for `wallet import`.
enum WalletImportFormat: String, ExpressibleByArgument, CaseIterable {
  /// WalletEntry JSON, one a line.
  case entries
  /// BIP-39 words.
  case mnemonic
  /// A SeedQR's digits or bytes.
  case seedqr
  /// Bitcoin Core's importdescriptors or listdescriptors.
  case descriptors
  /// BIP-329 labels for a wallet that is in the backup.
  case labels
}

/// `keybackup wallet import`: wallets from another program.
package struct WalletImportCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Add wallets from another program's file.",
    discussion: """
      Without --format, the file holds WalletEntry JSON, one a line. Nothing is written \
      unless every line is valid.
      Every entry is kept byte for byte, except for the mark that says which operation \
      sealed it.
      A wallet that is in the backup already gets a new version, unless its content is the \
      same. So an interrupted import can be repeated.
      Up to 4 MiB of entries (some 7,000 wallets) are imported all or none. Larger files are \
      imported in parts of that size.
      --covb reads the file that the Cove wallet exports. A wallet without the secret that \
      the backup holds is left out unless --replace is given.
      --format mnemonic, seedqr and descriptors need --name and --network. --format labels \
      needs --wallet.
      """)

  @OptionGroup var unlock: UnlockOptions

  @Argument(help: ArgumentHelp("The file, or -.", valueName: "file"))
  var file: String?

  @Option(help: ArgumentHelp("Import a .covb file of the Cove wallet.", valueName: "file"))
  var covb: String?

  @OptionGroup var password: PasswordOptions

  @Flag(
    help: "With --covb: also take wallets that lack the secret."
  )
  var replace = false

  @Option(help: "What the file holds.")
  var format = WalletImportFormat.entries

  @Option(help: ArgumentHelp("The new wallet's name.", valueName: "name"))
  var name: String?

  @Option(
    help: ArgumentHelp(
      "The new wallet's network: bitcoin, testnet, testnet4 or signet.", valueName: "network"))
  var network: String?

  @Option(help: ArgumentHelp("The master fingerprint that it must have.", valueName: "hex"))
  var fingerprint: String?

  @OptionGroup var passphrase: WalletPassphraseOption

  @Option(help: ArgumentHelp("The wallet that the labels are for.", valueName: "wallet"))
  var wallet: String?

  @OptionGroup var place: SyncedFolderOption

  package init() {}

  package mutating func validate() throws {
    guard (file == nil) != (covb == nil) else { throw ValidationError("name one file") }
    if covb == nil, password.isGiven {
      throw ValidationError("a password goes with --covb")
    }
    if covb == nil, replace { throw ValidationError("--replace goes with --covb") }
    if covb != nil, format != .entries { throw ValidationError("--covb is a format of its own") }
    let makesWallet = [.mnemonic, .seedqr, .descriptors].contains(format)
    if makesWallet != (name != nil) || makesWallet != (network != nil) {
      throw ValidationError(
        makesWallet
          ? "--format \(format.rawValue) needs --name and --network"
          : "--name and --network go with --format mnemonic, seedqr and descriptors")
    }
    if let name, !(1...200).contains(name.utf8.count) {
      throw ValidationError("a wallet's name has 1 to 200 bytes")
    }
    if passphrase.isGiven || fingerprint != nil, format != .mnemonic, format != .seedqr {
      throw ValidationError("--passphrase and --fingerprint go with --format mnemonic and seedqr")
    }
    if (wallet != nil) != (format == .labels) {
      throw ValidationError("--format labels and --wallet go together")
    }
    if covb != nil || format == .labels {
      try place.given.refuse(without: "a file that holds a secret unencrypted")
    }
    if let wallet, let problem = WalletSelector.problem(wallet) { throw ValidationError(problem) }
    try unlock.requireOtherInput(than: file, covb, password.input)
    if password.input == "-", covb == "-" {
      throw ValidationError("only one input can come from standard input")
    }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    if let covb {
      return try await CovbImport(
        unlock: unlock, file: covb, password: password, replaces: replace
      ).run(in: world)
    }
    let file = file ?? "-"
    switch format {
    case .entries:
      return try await EntryImport(unlock: unlock, file: file, place: place)
        .run(in: world)
    case .labels:
      return try await LabelsImport(unlock: unlock, file: file, wallet: wallet ?? "")
        .run(in: world)
    case .mnemonic, .seedqr, .descriptors:
      return try await SecretImport(
        unlock: unlock, file: file, format: format, name: name ?? "", network: network ?? "",
        fingerprint: fingerprint, passphrase: passphrase, place: place
      ).run(in: world)
    }
  }
}
