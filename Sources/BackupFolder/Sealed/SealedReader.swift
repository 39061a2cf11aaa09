internal import CSPP
internal import SecretMemory

/// Verifies and opens sealed operations of the writers that a log authorises.
final class SealedReader {
  /// The secret of one writer's operations.
  final class Access {
    let writer: SilentWriter.Identity
    let secret: SecretBytes
    /// Its permissions, of all its authorisations together.
    fileprivate(set) var may: SilentWriter.Permissions

    fileprivate init(
      _ writer: SilentWriter.Identity, secret: consuming SecretBytes,
      may: SilentWriter.Permissions
    ) {
      self.writer = writer
      self.secret = secret
      self.may = may
    }
  }

  private var writers: [WriterID: [Access]] = [:]
  private let inbox: InboxPair
  private let verified: OperationNames

  /// Derives the secrets of all authorised writers.
  ///
  /// A `writer-add` that permits nothing only names a computer.
  init(
    _ authorisations: [FileRecords.Authorisation], _ masterKey: borrowing MasterKey,
    verified: OperationNames
  ) {
    inbox = InboxPair(of: masterKey)
    self.verified = verified
    for authorisation in authorisations where !authorisation.writer.may.isEmpty {
      let writer = authorisation.writer
      if let known = writers[writer.writerID]?.first(where: { $0.writer == writer.identity }) {
        known.may.formUnion(writer.may)
        continue
      }
      writers[writer.writerID, default: []].append(
        Access(writer.identity, secret: masterKey.writerSecret(writer.identity), may: writer.may))
    }
  }

  /// The authorised writer that signed an operation; nil if nobody with its writer ID is authorised.
  ///
  /// - Throws: ``CSPPError/invalidSignature`` if somebody else signed it.
  func access(to operation: SealedOperationFile) throws(CSPPError) -> Access? {
    guard let possible = writers[operation.header.writerID] else { return nil }
    if possible.count == 1, isVerified(operation) { return possible[0] }
    for access in possible where (try? operation.verify(by: access.writer)) != nil {
      return access
    }
    throw .invalidSignature
  }

  private func isVerified(_ operation: SealedOperationFile) -> Bool {
    verified.contains(operation.reference.name)
  }

  /// Decrypts an operation whose signature holds.
  func open(
    _ operation: SealedOperationFile, _ access: Access, into text: inout SecretBytes
  ) throws(CSPPError) -> SealedContents {
    try operation.open(
      by: access.writer, inbox: inbox, writerSecret: access.secret, isVerified: true, into: &text)
  }
}
