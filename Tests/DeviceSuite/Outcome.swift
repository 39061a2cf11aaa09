import FoundationEssentials

/// The outcome of a behaviour on one route: one line of JSON.
public struct Outcome: Codable, Equatable, Sendable {
  /// The behaviour's name.
  public let behaviour: String
  /// The route to the key.
  public let route: Route
  /// Whether every expectation was met.
  public let passed: Bool
  /// The unmet expectation; empty when it passed.
  public let detail: String
  /// The duration in seconds.
  public let seconds: Double

  /// Creates an outcome.
  public init(behaviour: String, route: Route, passed: Bool, detail: String, seconds: Double) {
    self.behaviour = behaviour
    self.route = route
    self.passed = passed
    self.detail = detail
    self.seconds = seconds
  }

  /// The line, without its end.
  public var line: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// Parses the outcomes in lines of text; omits other lines.
  public static func all(in text: String) -> [Outcome] {
    text.split(separator: "\n").compactMap {
      try? JSONDecoder().decode(Outcome.self, from: Data($0.utf8))
    }
  }
}
