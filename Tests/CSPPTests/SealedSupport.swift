import Foundation
import SecretMemory
import Testing

@testable import CSPP

/// A silent writer with fixed keys, and the namespace to which it writes.
enum Silent {
  static let writerID = WriterID(words: [11, 12])
  static let after = Operation.Seen(
    writerID: WriterID(words: [1, 2]), counter: 3, digest: Digest(words: [4, 5, 6, 7]))
  static let seed = [UInt8](repeating: 0x31, count: 32)

  static func signer() throws -> SigningPair { try SigningPair(seed: secret(seed)) }
  static func identity() throws -> SilentWriter.Identity {
    SilentWriter.Identity(writerID: writerID, signingKey: try signer().publicKey)
  }

  static func writerSecret() throws -> SecretBytes {
    try Sample.masterKey().writerSecret(identity())
  }

  static func header(_ counter: UInt64 = 1, _ previous: Digest? = nil) throws -> OperationHeader {
    try OperationHeader(
      namespaceID: Sample.namespaceID(), writerID: writerID, counter: counter, previous: previous)
  }

  static func builder() throws -> SealedOperationBuilder {
    SealedOperationBuilder(header: try header(), at: 99, after: after)
  }

  /// An operation with one small file.
  static func operation(_ contents: [UInt8] = [1, 2, 3]) throws -> [UInt8] {
    var builder = try builder()
    try builder.filePut(
      FileID(words: [8, 9]), name: name("channel.backup"),
      version: NewFileVersion(inline: secret(contents), modified: 5, mode: 0o600), replaces: [])
    return try seal(builder)
  }

  static func seal(_ builder: consuming SealedOperationBuilder) throws -> [UInt8] {
    let masterKey = try Sample.masterKey()
    return try builder.seal(
      inbox: InboxPair(of: masterKey).publicKey, writerSecret: writerSecret(),
      signer: signer()
    ).bytes
  }

  /// Spells and signs any box under any header, as an owner of the signing key could.
  static func file(
    box: [UInt8], header: String? = nil, signer: borrowing SigningPair
  ) throws -> [UInt8] {
    let json = try header ?? Silent.header().json
    let protected = Base64.string(Array(json.utf8), .url)
    let text = Data(box).base64EncodedString()
    let message = Array("keybackup:v1:sealed\0\(protected)\0\(text)".utf8)
    let signature = Data(signer.sign(message)).base64EncodedString()
    return Array(
      """
      {"format":"keybackup-sealed","version":1,"protected":"\(protected)","box":"\(text)",\
      "signature":"\(signature)"}
      """.utf8)
  }

  /// A valid seal and signature around any text, padded or not.
  static func file(text: [UInt8], padded: Bool = true) throws -> [UInt8] {
    let masterKey = try Sample.masterKey()
    let inbox = InboxPair(of: masterKey)
    let own = SecretBytes.random(count: 32)
    let ephemeral = X25519Key(of: own)
    let header = try header()
    let key = try SealedOperationKey.derive(
      secret: own, with: inbox.publicKey, ephemeral: ephemeral, inbox: inbox.publicKey,
      writerSecret: writerSecret(), header: header, signingKey: identity().signingKey)
    let blanks = padded ? Padding.powerOfTwo(text.count) - text.count : 0
    let plain = text + [UInt8](repeating: 0x20, count: blanks)
    let sealed = try unsafe ChaCha20Poly1305.seal(
      plain.span.bytes, key: key, nonce: [UInt8](repeating: 0, count: 12),
      associatedData: Array(Base64.string(Array(header.json.utf8), .url).utf8))
    return try file(box: ephemeral.bytes + sealed, signer: signer())
  }

  static func open(_ file: [UInt8], into text: inout SecretBytes) throws(CSPPError)
    -> SealedContents
  {
    let masterKey = try MasterKey(secret([UInt8](repeating: 7, count: 32)))
    let writer = SilentWriter.Identity(
      writerID: writerID, signingKey: try SigningPair(seed: secret(seed)).publicKey)
    let parsed = try SealedOperationFile(parsing: file.span, at: masterKey.namespaceID)
    return try parsed.open(
      by: writer, inbox: InboxPair(of: masterKey), writerSecret: masterKey.writerSecret(writer),
      into: &text)
  }

  static func refusal(_ file: [UInt8]) -> CSPPError? {
    var text = secret([1])
    let refused = CSPPTests.refusal { () throws(CSPPError) in _ = try open(file, into: &text) }
    if refused != nil, text.count > 1 { Issue.record("a text is left") }
    return refused
  }

  static func name(_ text: String) throws -> PathComponent {
    try #require(PathComponent(text))
  }
}

extension [String: Any] {
  func object(_ name: String) throws -> [String: Any] {
    try #require(self[name] as? [String: Any])
  }

  func number(_ name: String) throws -> UInt64 {
    try #require(self[name] as? NSNumber).uint64Value
  }

  func id<ID: HexIdentifier>(_ name: String) throws -> ID {
    try #require(ID(hex: try string(name)))
  }

  /// An operation's name as JSON has it.
  func seen(_ name: String) throws -> CSPP.Operation.Seen {
    let seen = try object(name)
    return CSPP.Operation.Seen(
      writerID: try seen.id("writer_id"), counter: try seen.number("counter"),
      digest: try seen.id("sha256"))
  }
}

extension CSPP.Operation.Seen {
  var values: [String: Any] {
    ["writer_id": writerID.hex, "counter": counter, "sha256": digest.hex]
  }
}
