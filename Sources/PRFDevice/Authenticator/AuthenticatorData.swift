/// Authenticator data (WebAuthn Level 3, section 6.1): the key's statements about an answer.
///
/// It is parsed here because libfido2 exposes only parts of it.
struct AuthenticatorData: Equatable {
  /// SHA-256 of the relying party ID, 32 bytes.
  let rpIDHash: [UInt8]
  let flags: UInt8

  var isUserPresent: Bool { flags & 0x01 != 0 }
  var isUserVerified: Bool { flags & 0x04 != 0 }
  var hasAttestedCredential: Bool { flags & 0x40 != 0 }
  var hasExtensions: Bool { flags & 0x80 != 0 }

  /// The attested credential; only for a new credential.
  struct AttestedCredential: Equatable {
    let aaguid: AAGUID
    let id: CredentialID
  }
  let credential: AttestedCredential?

  /// Whether makeCredential answered `hmac-secret: true`.
  let confirmsPRF: Bool
  /// The credProtect level in makeCredential's answer.
  let protection: Int?

  /// Parses the plain bytes, at least 37.
  init(_ raw: [UInt8]) throws(PRFDeviceError) {
    var reader = CBORReader(raw)
    rpIDHash = try reader.take(32)
    flags = try reader.take(1)[0]
    _ = try reader.take(4)  // The signature counter.
    if flags & 0x40 != 0 {
      guard let aaguid = AAGUID(try reader.take(16)) else { throw CBORReader.malformed }
      let size = try reader.take(2)
      let id = try reader.take(Int(size[0]) << 8 | Int(size[1]))
      credential = AttestedCredential(aaguid: aaguid, id: CredentialID(id))
      try reader.skip()  // The public key.
    } else {
      credential = nil
    }
    var confirmsPRF = false
    var protection: Int?
    if flags & 0x80 != 0 {
      for _ in 0..<(try reader.head(.map)) {
        switch try reader.text() {
        case "hmac-secret": confirmsPRF = try reader.bool() ?? false
        case "credProtect": protection = Int(try reader.head(.unsigned))
        default: try reader.skip()
        }
      }
    }
    self.confirmsPRF = confirmsPRF
    self.protection = protection
  }

  /// Parses the bytes as libfido2 returns them, in a CBOR byte string.
  init(wrapped: [UInt8]) throws(PRFDeviceError) {
    var reader = CBORReader(wrapped)
    try self.init(reader.take(reader.head(.bytes)))
  }
}

/// Reads the few CBOR items (RFC 8949) that authenticator data has.
///
/// Every length is checked against the remaining bytes.
struct CBORReader {
  static let malformed = PRFDeviceError.protocolViolation("malformed authenticator data")

  enum Kind: UInt8 {
    case unsigned = 0
    case negative = 1
    case bytes = 2
    case text = 3
    case array = 4
    case map = 5
    case tag = 6
    case simple = 7
  }

  private let source: [UInt8]
  private var offset = 0

  init(_ source: [UInt8]) {
    self.source = source
  }

  mutating func take(_ count: Int) throws(PRFDeviceError) -> [UInt8] {
    guard count >= 0, count <= source.count - offset else { throw Self.malformed }
    defer { offset += count }
    return Array(source[offset..<offset + count])
  }

  /// The kind of the next item and its argument.
  ///
  /// Rejects indefinite lengths, which CTAP forbids.
  private mutating func head() throws(PRFDeviceError) -> (Kind, Int) {
    let first = try take(1)[0]
    guard let kind = Kind(rawValue: first >> 5) else { throw Self.malformed }
    let short = first & 31
    if short < 24 { return (kind, Int(short)) }
    guard short <= 27 else { throw Self.malformed }
    let argument = try take(1 << Int(short - 24)).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard let argument = Int(exactly: argument) else { throw Self.malformed }
    return (kind, argument)
  }

  /// The argument of the next item, which must be of this kind.
  mutating func head(_ kind: Kind) throws(PRFDeviceError) -> Int {
    let (found, argument) = try head()
    guard found == kind else { throw Self.malformed }
    return argument
  }

  mutating func text() throws(PRFDeviceError) -> String {
    String(decoding: try take(head(.text)), as: UTF8.self)
  }

  /// A truth value; `nil` for any other item, which is skipped.
  mutating func bool() throws(PRFDeviceError) -> Bool? {
    guard offset < source.count else { throw Self.malformed }
    switch source[offset] {
    case 0xF4, 0xF5: return try take(1)[0] == 0xF5
    default:
      try skip()
      return nil
    }
  }

  /// Skips one item of any kind, at most CTAP's 4 levels deep.
  mutating func skip(depth: Int = 4) throws(PRFDeviceError) {
    guard depth > 0 else { throw Self.malformed }
    let (kind, argument) = try head()
    switch kind {
    case .unsigned, .negative, .simple: return
    case .bytes, .text: _ = try take(argument)
    case .tag: try skip(depth: depth - 1)
    case .array, .map:
      let items = argument.multipliedReportingOverflow(by: kind == .map ? 2 : 1)
      // Each item takes at least a byte, so this limits the loop to the input's size.
      guard !items.overflow, items.partialValue <= source.count - offset else {
        throw Self.malformed
      }
      for _ in 0..<items.partialValue { try skip(depth: depth - 1) }
    }
  }
}
