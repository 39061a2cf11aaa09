public import SecretMemory

/// A BIP-32 private key from which others are derived.
public struct ExtendedPrivateKey: ~Copyable {
  /// The depth; 0 for a master key.
  public let depth: Int
  /// The child number; 2^31 and above are hardened.
  public let childNumber: UInt32
  private let parent: UInt32
  private let key: SecretBytes
  private let chainCode: SecretBytes

  /// The master key of a seed (BIP-32, "Master key generation").
  init(seed: borrowing SecretBytes) throws(WalletFormatError) {
    let name = Array("Bitcoin seed".utf8)
    let code = seed.withBytes { unsafe HMACSHA512.code(for: $0, key: name.span.bytes) }
    let key = code.copy(0..<32)
    guard key.withBytes({ Secp256k1.isPrivateKey($0) }) else { throw .extendedKeyPrivateKey }
    self.init(depth: 0, childNumber: 0, parent: 0, key: key, chainCode: code.copy(32..<64))
  }

  private init(
    depth: Int, childNumber: UInt32, parent: UInt32, key: consuming SecretBytes,
    chainCode: consuming SecretBytes
  ) {
    self.depth = depth
    self.childNumber = childNumber
    self.parent = parent
    self.key = key
    self.chainCode = chainCode
  }

  /// Creates the key from a checked extended key.
  ///
  /// - Throws: `extendedKeyIsPublic`.
  public init(_ key: borrowing ExtendedKey) throws(WalletFormatError) {
    guard key.isPrivate else { throw .extendedKeyIsPublic }
    let payload = try key.text.withBytes { text throws(WalletFormatError) in
      try ExtendedKeyPayload.decode(text)
    }
    self.init(
      depth: key.depth, childNumber: key.childNumber,
      parent: payload.withBytes { ExtendedKeyPayload.bigEndian($0, 5) },
      key: payload.copy(46..<78), chainCode: payload.copy(13..<45))
  }

  /// Derives a child (BIP-32, "CKDpriv").
  ///
  /// - Throws: `extendedKeyDepth` below the 255th; with a chance of 2^-127 `extendedKeyPrivateKey`.
  public borrowing func child(_ number: UInt32) throws(WalletFormatError) -> ExtendedPrivateKey {
    guard depth < DerivationPath.stepLimit else { throw .extendedKeyDepth }
    let point = try publicKey()
    let isHardened = number >= 0x8000_0000
    let message = SecretBytes(count: 37) { message in
      key.withBytes { key in
        for offset in 0..<33 {
          let hardened = offset == 0 ? 0 : key.byte(offset - 1)
          message.set(offset, isHardened ? hardened : point[offset])
        }
      }
      for offset in 0..<4 {
        message.set(33 + offset, UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32(offset))))
      }
    }
    let code = message.withBytes { message in
      chainCode.withBytes { HMACSHA512.code(for: message, key: $0) }
    }
    var childKey = key.copy()
    guard Secp256k1.add(code.copy(0..<32), to: &childKey) else { throw .extendedKeyPrivateKey }
    return ExtendedPrivateKey(
      depth: depth + 1, childNumber: number,
      parent: Fingerprint.number(of: try Hash160.hash(point)),
      key: childKey, chainCode: code.copy(32..<64))
  }

  /// Derives the key at a path from this one.
  ///
  /// - Throws: as ``child(_:)``.
  public borrowing func derive(_ path: DerivationPath) throws(WalletFormatError)
    -> ExtendedPrivateKey
  {
    var key = copy()
    for step in path.steps { key = try key.child(step) }
    return key
  }

  /// A copy of the key, with its own owner.
  borrowing func copy() -> ExtendedPrivateKey {
    ExtendedPrivateKey(
      depth: depth, childNumber: childNumber, parent: parent, key: key.copy(),
      chainCode: chainCode.copy())
  }

  /// This key's own fingerprint; of a master key, the wallet's.
  ///
  /// - Throws: `ripemd160Missing`.
  public borrowing func fingerprint() throws(WalletFormatError) -> Fingerprint {
    Fingerprint(number: Fingerprint.number(of: try Hash160.hash(publicKey())))
  }

  /// The 33 bytes of the compressed public key.
  borrowing func publicKey() throws(WalletFormatError) -> [UInt8] {
    guard let point = key.withBytes({ Secp256k1.publicKey(of: $0) }) else {
      throw .extendedKeyPrivateKey
    }
    return point
  }

  /// The key in BIP-32's form: xpub, tpub, xprv or tprv.
  public borrowing func text(
    _ half: ExtendedKey.Expectation, network: KeyNetwork
  ) throws(WalletFormatError) -> SecretBytes {
    let isPrivate = half == .privateKey
    let point = try publicKey()
    guard let version = ExtendedKeyVersion.plain(isPrivate: isPrivate, network: network) else {
      throw .extendedKeyVersion
    }
    let payload = SecretBytes(count: ExtendedKeyPayload.size) { payload in
      ExtendedKeyPayload.setBigEndian(version.number, 0, &payload)
      payload.set(4, UInt8(depth))
      ExtendedKeyPayload.setBigEndian(parent, 5, &payload)
      ExtendedKeyPayload.setBigEndian(childNumber, 9, &payload)
      chainCode.withBytes { for offset in 0..<32 { payload.set(13 + offset, $0.byte(offset)) } }
      if isPrivate {
        key.withBytes { for offset in 0..<32 { payload.set(46 + offset, $0.byte(offset)) } }
      } else {
        for (offset, byte) in point.enumerated() { payload.set(45 + offset, byte) }
      }
    }
    return payload.withBytes { Base58.encode($0) }
  }
}

extension ExtendedKey {
  /// The key's own fingerprint; of a master key, the wallet's.
  ///
  /// - Throws: `ripemd160Missing`.
  public borrowing func fingerprint() throws(WalletFormatError) -> Fingerprint {
    if isPrivate { return try ExtendedPrivateKey(self).fingerprint() }
    let payload = try text.withBytes { text throws(WalletFormatError) in
      try ExtendedKeyPayload.decode(text)
    }
    let point = payload.withBytes { payload in
      (45..<ExtendedKeyPayload.size).map { payload.byte($0) }
    }
    return Fingerprint(number: Fingerprint.number(of: try Hash160.hash(point)))
  }

  /// The wallet's master fingerprint, if the key gives it.
  ///
  /// A master key gives its own, a key at depth 1 its parent's, any other `nil`.
  public borrowing func masterFingerprint() throws(WalletFormatError) -> Fingerprint? {
    switch depth {
    case 0: return try fingerprint()
    case 1: return parentFingerprint
    default: return nil
    }
  }
}
