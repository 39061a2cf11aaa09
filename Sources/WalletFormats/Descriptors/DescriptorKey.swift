internal import SecretMemory

/// Parses key expressions (BIP-380, "Key Expressions"; multipath: BIP-389; `musig`: BIP-390).
extension DescriptorParser {
  mutating func key(
    _ text: RawSpan, kinds: DescriptorKeyKinds, insideMusig: Bool = false
  ) throws(WalletFormatError) {
    let start = position
    let error = WalletFormatError.descriptorKey(position: start + 1)
    if kinds == .taproot, !insideMusig, text.starts(with: "musig(".utf8, at: position) {
      position += 6
      repeat { try key(text, kinds: .compressed, insideMusig: true) } while skip(",", text)
      try expect(")", text)
      try path(text, after: start)
      return
    }
    if skip("[", text) { try origin(text, after: start) }
    let token = take(text) { ASCII.isLetter($0) || ASCII.isDigit($0) }
    let key = text.extracting(token)
    if key.isHex(0..<key.byteCount), [64, 66, 130].contains(key.byteCount) {
      guard Self.isPublicKey(hex: key, kinds: kinds) else { throw error }
      facts.containsPublicKey = true
    } else if (51...52).contains(key.byteCount) {
      guard let wif = Self.importFormat(key), wif.isCompressed || kinds == .any else { throw error }
      try learn(isPrivate: true, network: wif.network)
    } else {
      guard let extended = try? ExtendedKeyPayload.check(key),
        extended.version.form == .plain
      else { throw error }
      try learn(isPrivate: extended.version.isPrivate, network: extended.version.network)
      try path(text, after: start)
    }
  }

  private mutating func learn(
    isPrivate: Bool, network: KeyNetwork
  ) throws(WalletFormatError) {
    if isPrivate { facts.containsPrivateKey = true } else { facts.containsPublicKey = true }
    if let known = facts.network, known != network { throw .descriptorMixedNetworks }
    facts.network = network
  }

  /// Parses `[fingerprint/steps]`, from after the opening bracket.
  private mutating func origin(_ text: RawSpan, after start: Int) throws(WalletFormatError) {
    let error = WalletFormatError.descriptorKey(position: start + 1)
    guard take(text, while: ASCII.isHexDigit).count == 8 else { throw error }
    while skip("/", text) { _ = try step(text, error) }
    guard skip("]", text) else { throw error }
  }

  /// Parses the steps after an extended key: numbers, at most one multipath step, and at most one
  /// `*` at the end.
  private mutating func path(_ text: RawSpan, after start: Int) throws(WalletFormatError) {
    let error = WalletFormatError.descriptorKey(position: start + 1)
    var hasMultipath = false
    while skip("/", text) {
      if skip("*", text) {
        _ = hardenedMarker(text)
        return
      }
      let here = position
      if skip("<", text) {
        let multipathError = WalletFormatError.descriptorMultipath(position: here + 1)
        guard !hasMultipath else { throw multipathError }
        hasMultipath = true
        try multipath(text, multipathError)
      } else {
        _ = try step(text, error)
      }
    }
  }

  /// Parses `a;b;...>`, from after the `<`.
  private mutating func multipath(
    _ text: RawSpan, _ error: WalletFormatError
  ) throws(WalletFormatError) {
    var steps: [UInt32] = []
    repeat {
      let step = try step(text, error)
      guard !steps.contains(step), steps.count < 1000 else { throw error }
      steps.append(step)
    } while skip(";", text)
    guard skip(">", text), steps.count > 1 else { throw error }
    if facts.branchCount != 0, facts.branchCount != steps.count { throw error }
    facts.branchCount = steps.count
  }

  /// Parses a number below 2^31 that may be hardened.
  private mutating func step(
    _ text: RawSpan, _ error: WalletFormatError
  ) throws(WalletFormatError) -> UInt32 {
    guard let number = try? number(text) else { throw error }
    return hardenedMarker(text) ? number | 0x8000_0000 : number
  }

  /// Parses `'` or `h`; BIP-380's own test vectors reject `H`.
  private mutating func hardenedMarker(_ text: RawSpan) -> Bool {
    skip("'", text) || skip("h", text)
  }

  private static func isPublicKey(hex: RawSpan, kinds: DescriptorKeyKinds) -> Bool {
    let key = (0..<(hex.byteCount / 2)).map { index in
      ASCII.hexValue(hex.byte(2 * index)) << 4 | ASCII.hexValue(hex.byte(2 * index + 1))
    }
    let bytes = unsafe key.span.bytes
    switch bytes.byteCount {
    case 33: return Secp256k1.isCompressedPublicKey(bytes)
    case 32: return kinds == .taproot && Secp256k1.isXOnlyPublicKey(bytes)
    default: return kinds == .any && Secp256k1.isUncompressedPublicKey(bytes)
    }
  }

  /// Parses the wallet import format in base58check.
  ///
  /// The bytes are: 0x80 or, on test networks, 0xEF; the 32-byte key; and 1 if the public key is to
  /// be compressed.
  private static func importFormat(
    _ text: RawSpan
  ) -> (network: KeyNetwork, isCompressed: Bool)? {
    let isCompressed = text.byteCount == 52
    guard let payload = try? Base58.decode(text, count: isCompressed ? 34 : 33) else { return nil }
    return payload.withBytes { payload in
      guard !isCompressed || payload.byte(33) == 1,
        Secp256k1.isPrivateKey(payload.extracting(1..<33))
      else { return nil }
      switch payload.byte(0) {
      case 0x80: return (.mainnet, isCompressed)
      case 0xEF: return (.testnet, isCompressed)
      default: return nil
      }
    }
  }
}
