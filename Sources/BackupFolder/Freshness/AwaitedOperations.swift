internal import CSPP

extension LogProblems {
  /// The awaited operations.
  ///
  /// These are the ones whose files say so, and those opened here before whose folder cannot be
  /// listed now.
  func awaited(_ localState: LocalState) -> Set<OperationName> {
    if unlistedWriters.isEmpty, !isUnlisted { return unsynchronised }
    var awaited = unsynchronised
    for name in localState.operations where isUnlisted || unlistedWriters.contains(name.writer.hex)
    {
      awaited.insert(name)
    }
    return awaited
  }
}
