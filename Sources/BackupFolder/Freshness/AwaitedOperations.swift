internal import CSPP

extension LogProblems {
  /// Operations that are awaited: those whose files say so, and those that were
  /// opened here before and lie in a folder that cannot be listed now.
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
