package import CSPP

extension UserMessage {
  /// The message for a format error.
  ///
  /// - Parameters:
  ///   - error: from the format's parsers.
  ///   - what: names the thing that was read, such as "line 3".
  package init(_ error: CSPPError, in what: String) {
    self = UserMessage(error == .empty ? .incomplete : .dataInvalid, "\(what) \(error)")
  }
}
