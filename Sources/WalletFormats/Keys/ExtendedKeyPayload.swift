internal import SecretMemory

/// The version bytes of BIP-32 and, for Bitcoin, of SLIP-132.
struct ExtendedKeyVersion {
  let number: UInt32
  let isPrivate: Bool
  let network: KeyNetwork
  let form: ExtendedKey.Form

  static let all: [ExtendedKeyVersion] = [
    pair(0x0488_B21E, 0x0488_ADE4, .mainnet, .plain),
    pair(0x049D_7CB2, 0x049D_7878, .mainnet, .nestedSegwit),
    pair(0x04B2_4746, 0x04B2_430C, .mainnet, .segwit),
    pair(0x0295_B43F, 0x0295_B005, .mainnet, .nestedSegwitMultisig),
    pair(0x02AA_7ED3, 0x02AA_7A99, .mainnet, .segwitMultisig),
    pair(0x0435_87CF, 0x0435_8394, .testnet, .plain),
    pair(0x044A_5262, 0x044A_4E28, .testnet, .nestedSegwit),
    pair(0x045F_1CF6, 0x045F_18BC, .testnet, .segwit),
    pair(0x0242_89EF, 0x0242_85B5, .testnet, .nestedSegwitMultisig),
    pair(0x0257_5483, 0x0257_5048, .testnet, .segwitMultisig),
  ].flatMap { $0 }

  static func plain(isPrivate: Bool, network: KeyNetwork) -> ExtendedKeyVersion? {
    all.first { $0.isPrivate == isPrivate && $0.network == network && $0.form == .plain }
  }

  private static func pair(
    _ publicNumber: UInt32, _ privateNumber: UInt32, _ network: KeyNetwork,
    _ form: ExtendedKey.Form
  ) -> [ExtendedKeyVersion] {
    [
      ExtendedKeyVersion(number: publicNumber, isPrivate: false, network: network, form: form),
      ExtendedKeyVersion(number: privateNumber, isPrivate: true, network: network, form: form),
    ]
  }
}

/// The 78 bytes that an extended key encodes (BIP-32, "Serialization format").
///
/// They are: version 4, depth 1, parent fingerprint 4, child number 4, chain code 32, key 33.
enum ExtendedKeyPayload {
  static let size = 78
  private static let keyOffset = 45

  struct Facts {
    let version: ExtendedKeyVersion
    let depth: Int
    let parentFingerprint: Fingerprint?
    let childNumber: UInt32
  }

  static func check(_ text: RawSpan) throws(WalletFormatError) -> Facts {
    try decode(text).withBytes { payload throws(WalletFormatError) in try facts(payload) }
  }

  static func replaceVersion(
    of text: borrowing SecretBytes, by version: ExtendedKeyVersion
  ) -> SecretBytes? {
    text.withBytes { text in
      guard var payload = try? decode(text) else { return nil }
      payload.withMutableBytes { setBigEndian(version.number, 0, &$0) }
      return payload.withBytes { Base58.encode($0) }
    }
  }

  static func decode(_ text: RawSpan) throws(WalletFormatError) -> SecretBytes {
    do {
      return try Base58.decode(text, count: size)
    } catch {
      switch error {
      case .character(let offset): throw .invalidCharacter(position: offset + 1)
      case .length: throw .extendedKeyLength
      case .checksum: throw .extendedKeyChecksum
      }
    }
  }

  private static func facts(_ payload: RawSpan) throws(WalletFormatError) -> Facts {
    let number = bigEndian(payload, 0)
    guard let version = ExtendedKeyVersion.all.first(where: { $0.number == number }) else {
      throw .extendedKeyVersion
    }
    let depth = payload.byte(4)
    let parent = bigEndian(payload, 5)
    let childNumber = bigEndian(payload, 9)
    if depth == 0, parent != 0 || childNumber != 0 { throw .extendedKeyDepth }
    let key = payload.extracting(keyOffset..<size)
    if version.isPrivate {
      guard key.byte(0) == 0, Secp256k1.isPrivateKey(key.extracting(1..<33)) else {
        throw .extendedKeyPrivateKey
      }
    } else {
      guard Secp256k1.isCompressedPublicKey(key) else { throw .extendedKeyPublicKey }
    }
    return Facts(
      version: version, depth: Int(depth),
      parentFingerprint: depth == 0 ? nil : Fingerprint(number: parent),
      childNumber: childNumber)
  }

  static func bigEndian(_ bytes: RawSpan, _ offset: Int) -> UInt32 {
    var number: UInt32 = 0
    for index in offset..<(offset + 4) { number = number << 8 | UInt32(bytes.byte(index)) }
    return number
  }

  static func setBigEndian(_ number: UInt32, _ offset: Int, _ bytes: inout MutableRawSpan) {
    for index in 0..<4 {
      bytes.set(offset + index, UInt8(truncatingIfNeeded: number >> (24 - 8 * index)))
    }
  }
}
