public import SecretMemory

// Each of these functions takes the bytes from which the entry was parsed.
extension WalletEntry {
  /// The secret in guarded memory: UTF-8 text, or a TAPSIGNER backup's bytes; nil for a watch-only
  /// wallet.
  public func secret(in plaintext: borrowing SecretBytes) throws(CSPPError) -> SecretBytes? {
    switch secretKind {
    case .watchOnly: return nil
    case .tapSignerBackup:
      return try plaintext.withBytes { (text) throws(CSPPError) in
        var bytes = SecretBytes(zeroed: secretValue.range.count)
        var elements = try JSONElements(secretValue, field: "secret")
        var count = 0
        while let element = try elements.next(in: text) {
          let byte = UInt8(truncatingIfNeeded: try element.integer("secret", in: text))
          unsafe bytes.withUnsafeMutableBytes { unsafe $0[count] = byte }
          count += 1
        }
        bytes.resize(to: count)
        return bytes
      }
    case .mnemonic, .xprv, .descriptor:
      return plaintext.withBytes { secretValue.secret(in: $0) }
    }
  }

  /// The metadata's JSON, as written.
  public func metadata(in plaintext: borrowing SecretBytes) -> SecretBytes {
    plaintext.copy(metadataValue.fullRange)
  }

  /// The extended public key.
  public func xpub(in plaintext: borrowing SecretBytes) -> SecretBytes? {
    text(xpubValue, in: plaintext)
  }

  /// The descriptor of receiving addresses.
  public func externalDescriptor(in plaintext: borrowing SecretBytes) -> SecretBytes? {
    text(externalValue, in: plaintext)
  }

  /// The descriptor of change addresses.
  public func internalDescriptor(in plaintext: borrowing SecretBytes) -> SecretBytes? {
    text(internalValue, in: plaintext)
  }

  /// The labels: zstd of BIP-329 JSONL, not decompressed here.
  public func compressedLabels(in plaintext: borrowing SecretBytes) -> SecretBytes? {
    guard let value = labelsValue else { return nil }
    var labels = SecretBytes(zeroed: value.range.count)
    _ = plaintext.withBytes {
      Base64.decode($0.extracting(value.range), .standard, into: &labels)
    }
    return labels
  }

  /// The hash that identifies this revision.
  ///
  /// It is the stated one or, without one, the SHA-256 of the entry's bytes in hexadecimal.
  public func contentRevisionHash(in plaintext: borrowing SecretBytes) -> String {
    plaintext.withBytes { text in
      let stated = revisionValue?.string(in: text) ?? ""
      return stated.isEmpty ? Digest(of: text).hex : stated
    }
  }

  private func text(
    _ value: JSONValue?, in plaintext: borrowing SecretBytes
  ) -> SecretBytes? {
    guard let value else { return nil }
    return plaintext.withBytes { value.secret(in: $0) }
  }
}
