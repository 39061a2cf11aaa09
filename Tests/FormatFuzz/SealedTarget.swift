import CSPP
import SecretMemory

/// Sealed operations and authorising lines.
enum SealedTarget {
  static func run(_ bytes: [UInt8]) -> Bool {
    var accepted = false
    if let file = try? SealedOperationFile(parsing: bytes.span, at: Keys.namespace) {
      accepted = true
      var text = secret([])
      _ = try? file.open(by: writer, inbox: inbox, writerSecret: writerSecret, into: &text)
    }
    if let request = try? WriterRequest(parsing: String(decoding: bytes, as: UTF8.self)) {
      accepted = true
      must((try? WriterRequest(parsing: request.line)) == request, "a request changes")
    }
    return text(bytes) || accepted
  }

  /// Takes the bytes as the text of an operation, under a valid seal and signature.
  private static func text(_ bytes: [UInt8]) -> Bool {
    var plain = Array("{\"header\":\"\(Digest(of: protected.span))\",".utf8) + bytes
    plain += [UInt8](repeating: 0x20, count: max(0, 4096 - plain.count))
    guard plain.count == 4096 else { return false }
    let parsed: SealedOperationFile
    var text = secret([])
    do {
      let file = try file(plain)
      parsed = try SealedOperationFile(parsing: file.span, at: Keys.namespace)
      try parsed.verify(by: writer)
    } catch {
      must(false, "what was sealed does not parse")
      return false
    }
    do throws(CSPPError) {
      let contents = try parsed.open(
        by: writer, inbox: inbox, writerSecret: writerSecret, into: &text)
      let verdicts = contents.verdicts([.filePut, .fileRemove, .put])
      must(verdicts.count == contents.changes.count, "a verdict for each change")
      for (change, verdict) in zip(contents.changes, verdicts) {
        guard case .file(.put(let put)) = change else { continue }
        must(put.origin == nil || verdict != .counts, "an origin counts")
        must(PathComponent(put.name.text) != nil, "a name that is none")
        must(put.version.size <= SizeLimits.file, "a size beyond the limit")
      }
      return true
    } catch {
      must(text.count == 0, "a text is left")
      must(error != .authenticationFailed && error != .invalidSignature, "a good seal is refused")
      return false
    }
  }

  /// A file that opens to the inputs that the fuzzer starts from.
  static func file(_ plain: [UInt8]) throws -> [UInt8] {
    let sealed = try unsafe ChaCha20Poly1305.seal(
      plain.span.bytes, key: sealingKey, nonce: [UInt8](repeating: 0, count: 12),
      associatedData: protected)
    let box = Array(Base64.string(ephemeral + sealed, .standard).utf8)
    let message = Array("keybackup:v1:sealed\0".utf8) + protected + [0] + box
    let signature = try unsafe Ed25519.sign(message.span.bytes, seed: seed)
    return Array("{\"format\":\"keybackup-sealed\",\"version\":1,\"protected\":\"".utf8) + protected
      + Array("\",\"box\":\"".utf8) + box
      + Array("\",\"signature\":\"\(Base64.string(signature, .standard))\"}".utf8)
  }

  static let after = CSPP.Operation.Seen(
    writerID: Keys.writer, counter: 3, digest: Digest(words: SIMD4(1, 2, 3, 4)))
  static let inbox = InboxPair(of: Keys.masterKey)
  static let writerSecret = Keys.masterKey.writerSecret(writer)
  static let signer: SigningPair = {
    do { return try SigningPair(seed: seed.copy()) } catch { fatalError("\(error)") }
  }()
  private static let seed = secret([UInt8](repeating: 8, count: 32))
  static let writer = SilentWriter.Identity(
    writerID: Keys.writer, signingKey: signer.publicKey)
  private static let protected = Array(
    Base64.string(
      Array(
        "{\"namespace_id\":\"\(Keys.namespace)\",\"writer_id\":\"\(Keys.writer)\",\"counter\":1}"
          .utf8),
      .url
    ).utf8)
  private static let own = secret([UInt8](repeating: 9, count: 32))
  private static let ephemeral: [UInt8] = {
    do { return try X25519.publicKey(of: own) } catch { fatalError("\(error)") }
  }()
  private static let sealingKey: SecretBytes = {
    do {
      let shared = try X25519.sharedSecret(of: own, with: inbox.publicKey.bytes)
      return HKDFSHA256.deriveKey(
        ikm: secret(shared.copied + writerSecret.copied),
        info: "keybackup:v1:sealed:\(Keys.writer):1:\(Hex.string(ephemeral)):\(inbox.publicKey)"
          + ":\(writer.signingKey)")
    } catch {
      fatalError("\(error)")
    }
  }()
}
