internal import CSPP

extension LogIndex {
  /// Whether the operation that a CSPP file names was staged, and never published.
  ///
  /// A command that is killed leaves files of an operation that is not in the log. The next operation
  /// of that computer has the same counter, and need not contain this wallet. If the computer was
  /// cloned, the clone may have published an operation with that counter.
  ///
  /// - Parameters:
  ///   - mark: the operation that the file names.
  ///   - record: the wallet in the file.
  ///   - isHere: whether an operation of that writer and counter is in the log.
  ///   - wasHere: whether this computer has ever opened one.
  /// - Returns: whether nobody was told that the wallet is saved.
  func isUnpublished(
    _ mark: WalletEntry.Mark, of record: RecordID, isHere: Bool, wasHere: Bool
  ) -> Bool {
    let isPublished = history(of: record).contains { place in
      let reference = nodes[Int(versions[place].node)].reference
      return reference.writerID == mark.writerID && reference.counter == mark.counter
    }
    return !isPublished && (isHere || !wasHere)
  }
}
