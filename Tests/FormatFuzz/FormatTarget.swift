import SecretMemory

/// One decoder, or a few that go together, that any bytes may be given to.
///
/// Each states, beside "does not crash", what must hold of what it accepts:
/// mostly that writing and reading again gives the same.
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
  /// A file of `keys/`, and any header under a good seal.
  case key
  /// A log file, and any header or text under a good seal.
  case operation
  /// BIP-329 labels, and their compressed form.
  case labels
  /// What this computer remembers; names of log files; freshness words.
  case state
  /// Words, keys and descriptors that a person enters.
  case input
  /// Cove's `.covb`: its header, and any JSON in it.
  case covb
  /// Bitcoin Core's lists of descriptors, and SeedQR.
  case lists

  /// Gives the decoder one input.
  ///
  /// - Returns: whether something was accepted.
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
    }
  }
}

/// Ends the program where something that must hold does not.
func must(_ holds: Bool, _ what: StaticString, line: UInt = #line) {
  if !holds { preconditionFailure("\(what)", line: line) }
}

func secret(_ bytes: [UInt8]) -> SecretBytes { unsafe SecretBytes(copying: bytes.span.bytes) }

extension SecretBytes {
  /// A copy; nothing is secret here.
  var copied: [UInt8] { withBytes { span in unsafe span.withUnsafeBytes { unsafe [UInt8]($0) } } }
}
