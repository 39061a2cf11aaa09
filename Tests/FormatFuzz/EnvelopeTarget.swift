import CSPP
import SecretMemory

enum EnvelopeTarget {
  static func masterKey(_ bytes: [UInt8]) -> Bool {
    var accepted = false
    if let envelope = try? MasterKeyEnvelope(parsing: bytes.span, at: Keys.namespace) {
      accepted = true
      must(envelope.prfSalt.count == 32, "a salt of another size")
      if let key = try? envelope.open(prfOutput: Keys.prfOutput, namespaceID: Keys.namespace) {
        must(key.namespaceID == Keys.namespace, "another namespace's key")
      }
    }
    // A credential may have any name.
    let name = String(decoding: bytes.dropFirst(8), as: UTF8.self)
    let reference = MasterKeyEnvelope.KeyReference(
      keyID: Keys.keyID, rpID: name, credentialID: Array(bytes.prefix(8)))
    do throws(CSPPError) {
      let file = try MasterKeyEnvelope.seal(
        Keys.masterKey, prfOutput: Keys.prfOutput, prfSalt: Keys.salt, keyReference: reference,
        createdAt: 1, updatedAt: 2)
      let envelope = try MasterKeyEnvelope(parsing: file.span, at: Keys.namespace)
      must(envelope.keyReference == reference, "the reference changes")
      _ = try envelope.open(prfOutput: Keys.prfOutput, namespaceID: Keys.namespace)
    } catch {
      must(name.isEmpty || bytes.count < 8, "what was sealed does not open")
    }
    return accepted
  }

  static func wallet(_ bytes: [UInt8]) -> Bool {
    var plaintext = SecretBytes(zeroed: 0)
    var cipher = WalletCipher(Keys.masterKey)
    if let envelope = try? WalletEnvelope(
      parsing: bytes.span, at: Keys.namespace, recordID: nil)
    {
      if let entry = try? envelope.open(with: &cipher, recordID: nil, into: &plaintext) {
        must(envelope.walletID.map { $0 == entry.walletID } ?? true, "two wallet IDs")
      }
      return true
    }
    // The same bytes as the plaintext.
    let sealed = Keys.seal(bytes, key: Keys.masterKey.walletKey(salt: Keys.salt))
    let file = Array(
      """
      {"version":2,"wallet_salt":"\(Hex.string(Keys.salt))","nonce":"\(Hex.string(Keys.nonce))",\
      "ciphertext":"\(Base64.string(sealed, .standard))"}
      """.utf8)
    guard let envelope = try? WalletEnvelope(parsing: file.span, at: nil, recordID: nil) else {
      must(false, "an envelope does not parse")
      return false
    }
    do throws(CSPPError) {
      let entry = try envelope.open(with: &cipher, recordID: nil, into: &plaintext)
      must(plaintext.copied == bytes, "another plaintext")
      let again = try WalletEnvelope.seal(
        plaintext, entry: entry, with: &cipher, createdAt: 1, updatedAt: 1)
      let back = try WalletEnvelope(
        parsing: again.span, at: Keys.namespace, recordID: entry.recordID)
      must(back.walletID == entry.walletID, "the wallet ID changes")
      must(
        try back.open(with: &cipher, recordID: entry.recordID, into: &plaintext) == entry,
        "another entry")
      must(plaintext.copied == bytes, "the plaintext changes")
      return true
    } catch {
      must(error != .authenticationFailed, "a good seal is refused")
      must((try? WalletEntry(parsing: secret(bytes))) == nil, "an entry is refused in an envelope")
      return false
    }
  }
}

enum EntryTarget {
  static func run(_ bytes: [UInt8]) -> Bool {
    let text = secret(bytes)
    guard let entry = try? WalletEntry(parsing: text) else { return false }
    must(entry.recordID == RecordID(walletID: entry.walletID), "the record")
    _ = try? entry.secret(in: text)
    _ = entry.metadata(in: text)
    _ = entry.xpub(in: text)
    _ = entry.externalDescriptor(in: text)
    _ = entry.internalDescriptor(in: text)
    _ = entry.compressedLabels(in: text)
    _ = entry.contentRevisionHash(in: text)
    let mark = WalletEntry.Mark(writerID: Keys.writer, counter: 9)
    let marked: SecretBytes
    do throws(CSPPError) { marked = try WalletEntry.marking(text, with: mark) } catch {
      must(false, "an entry cannot be marked")
      return true
    }
    guard let again = try? WalletEntry(parsing: marked) else {
      must(false, "a marked entry is none")
      return true
    }
    must(again.mark == mark && again.walletID == entry.walletID, "the mark")
    if let twice = try? WalletEntry.marking(marked, with: mark) {
      must(twice.copied == marked.copied, "marking twice")
    }
    return true
  }
}
