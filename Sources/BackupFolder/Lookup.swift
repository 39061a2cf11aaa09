public import CSPP

extension OpenNamespace {
  /// Whether the backup holds a wallet now.
  public func contains(_ record: RecordID) -> Bool { false }
}
