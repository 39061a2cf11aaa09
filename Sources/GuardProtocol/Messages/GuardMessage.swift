/// A body of a request or an answer.
public protocol GuardMessage: Equatable, Sendable {
  /// Reads a body strictly.
  ///
  /// - Throws: ``GuardProtocolError/tooLarge``, ``GuardProtocolError/malformed(_:)`` also for a
  ///   field that is unknown, doubled, null or beyond its bounds.
  init(parsing body: RawSpan) throws(GuardProtocolError)

  /// The body: JSON in UTF-8.
  var body: [UInt8] { get }
}
