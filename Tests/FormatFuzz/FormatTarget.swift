import SecretMemory

/// One decoder, or a few that belong together, to which any bytes may be given.
///
/// Beside "does not crash", each states what must hold for accepted input: mostly that writing and
/// reading it again gives the same.
enum FormatTarget: String, CaseIterable {
  /// The JSON reader.
  case json
  /// base64, base64url, hexadecimal.
  case text
  /// The CSPP envelope of the master key.
  case masterKey = "master-key"
  /// The CSPP envelope of a wallet, and any plaintext sealed in one.
  case wallet
  /// A WalletEntry.
  case entry
  /// A file of `keys/`, and any header under a valid seal.
  case key
  /// A log file, and any header or text under a valid seal.
  case operation
  /// BIP-329 labels, and their compressed form.
  case labels
  /// The local state; names of log files; freshness words.
  case state
  /// Words, keys and descriptors that a user enters.
  case input
  /// Cove's `.covb`: its header, and any JSON in it.
  case covb
  /// Bitcoin Core's lists of descriptors, and SeedQR.
  case lists
  /// A sealed operation, any text under a valid seal, and authorising lines.
  case sealed
  /// A SealVault backup: the zip file, metadata, a name, the database.
  case sealvault
  /// A file of Celo's encrypted backup.
  case celo
  /// World App's archive, unpacked.
  case worldTar = "world-tar"
  /// The body of an entry of such an archive.
  case worldEntry = "world-entry"
  /// World App's root secret, and its server's metadata.
  case worldText = "world-text"
  /// gzip.
  case gzip
  /// The messages between a client and a guard.
  case guards

  /// Gives the decoder one input.
  ///
  /// - Returns: whether any decoder accepted it.
  func run(_ bytes: [UInt8]) -> Bool {
    switch self {
    case .json: JSONTarget.run(bytes)
    case .text: TextTarget.run(bytes)
    case .masterKey: EnvelopeTarget.masterKey(bytes)
    case .wallet: EnvelopeTarget.wallet(bytes)
    case .entry: EntryTarget.run(bytes)
    case .key: KeyTarget.run(bytes)
    case .operation: OperationTarget.run(bytes)
    case .labels: LabelsTarget.run(bytes)
    case .state: StateTarget.run(bytes)
    case .input: InputTarget.run(bytes)
    case .covb: CovbTarget.run(bytes)
    case .lists: ListsTarget.run(bytes)
    case .sealed: SealedTarget.run(bytes)
    case .sealvault: SealVaultTarget.run(bytes)
    case .celo: CeloTarget.run(bytes)
    case .worldTar: WorldTarTarget.run(bytes)
    case .worldEntry: WorldEntryTarget.run(bytes)
    case .worldText: WorldTextTarget.run(bytes)
    case .gzip: WorldGzipTarget.run(bytes)
    case .guards: GuardTarget.run(bytes)
    }
  }
}

/// Ends the program if a condition that must hold does not.
func must(_ holds: Bool, _ what: StaticString, line: UInt = #line) {
  if !holds { preconditionFailure("\(what)", line: line) }
}

func secret(_ bytes: [UInt8]) -> SecretBytes { unsafe SecretBytes(copying: bytes.span.bytes) }

extension SecretBytes {
  /// A copy; nothing is secret here.
  var copied: [UInt8] { withBytes { span in unsafe span.withUnsafeBytes { unsafe [UInt8]($0) } } }
}
