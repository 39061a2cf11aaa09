public import CSPP
public import SecretMemory

// Conversion into a file.
extension CovbWallet {
  /// Converts a wallet of a backup.
  ///
  /// - Parameters:
  ///   - entry: the parsed entry.
  ///   - plaintext: its bytes.
  /// - Throws: the reason why the file cannot hold it.
  public init(
    _ entry: WalletEntry, in plaintext: borrowing SecretBytes
  ) throws(CovbProblem) {
    let metadata = entry.metadata(in: plaintext)
    let facts = metadata.withBytes { text in
      (try? JSON.parse(text)).flatMap { try? MetadataFacts($0, in: text) }
    }
    guard let facts, facts.id == entry.walletID else { throw .metadataID }
    var losses = facts.missing.map { Loss.missingMetadata($0) }
    if entry.mode == .decoy, facts.mode != .decoy { losses.append(.decoyMode) }
    var kind = entry.secretKind
    var secret = SecretBytes(zeroed: 0)
    var pair: (external: String, internal: String)?
    if let external = entry.externalDescriptor(in: plaintext),
      let change = entry.internalDescriptor(in: plaintext)
    {
      pair = (external.publicText, change.publicText)
    }
    do throws(CSPPError) {
      if let found = try entry.secret(in: plaintext) { secret = found }
    } catch {
      throw .content("\(error)")
    }
    if kind == .descriptor {
      let own = try Self.pair(of: secret)
      pair = pair ?? own
      guard pair != nil else { throw .singleDescriptor }
      kind = .watchOnly
      secret = SecretBytes(zeroed: 0)
      losses.append(.descriptorBecomesPair)
    }
    var labels = SecretBytes(zeroed: 0)
    if let compressed = entry.compressedLabels(in: plaintext) {
      do { labels = try WalletLabels.decompress(compressed) } catch { throw .labels }
    }
    self.init(
      kind: kind, walletID: entry.walletID, name: facts.name, losses: losses, metadata: metadata,
      secret: secret, descriptors: pair, xpub: entry.xpub(in: plaintext)?.publicText,
      mode: facts.mode ?? .main, labels: labels)
  }

  /// The two descriptors that a descriptor with two branches represents.
  private static func pair(
    of text: borrowing SecretBytes
  ) throws(CovbProblem) -> (external: String, internal: String)? {
    let descriptor: Descriptor
    do throws(WalletFormatError) {
      descriptor = try Descriptor(checking: text)
    } catch {
      throw .secret(error)
    }
    if descriptor.containsPrivateKey { throw .privateDescriptor }
    guard descriptor.branchCount == 2 else { return nil }
    return (descriptor.branch(0).publicText, descriptor.branch(1).publicText)
  }

  /// Writes the wallet as JSON.
  borrowing func write(into writer: inout SecretWriter) {
    writer.raw("{\"metadata\":")
    metadata.withBytes { writer.raw($0) }
    writer.raw(",\"secret\":")
    switch kind {
    case .watchOnly, .descriptor: writer.raw("\"None\"")
    case .mnemonic, .xprv:
      writer.raw("{\"\(kind.rawValue)\":")
      secret.withBytes { writer.string($0) }
      writer.raw("}")
    case .tapSignerBackup:
      writer.raw("{\"TapSignerBackup\":")
      secret.withBytes { writer.numbers($0) }
      writer.raw("}")
    }
    writer.raw(",\"descriptors\":")
    if let descriptors {
      writer.raw("{\"external\":")
      writer.string(descriptors.external)
      writer.raw(",\"internal\":")
      writer.string(descriptors.internal)
      writer.raw("}")
    } else {
      writer.raw("null")
    }
    writer.raw(",\"xpub\":")
    if let xpub { writer.string(xpub) } else { writer.raw("null") }
    writer.raw(",\"labels_jsonl\":")
    if labels.count > 0 { labels.withBytes { writer.string($0) } } else { writer.raw("null") }
    writer.raw("}")
  }

  /// The digest of the wallet as the file would hold it, equal for equal wallets whatever their
  /// original spelling.
  public borrowing func digest() -> Digest {
    var writer = SecretWriter()
    write(into: &writer)
    return writer.withBytes { Digest(of: $0) }
  }
}
