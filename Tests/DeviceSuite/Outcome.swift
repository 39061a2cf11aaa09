import FoundationEssentials

/// What a behaviour showed on one route: one line of JSON.
public struct Outcome: Codable, Equatable, Sendable {
  /// The behaviour's name.
  public let behaviour: String
  /// How the key was reached.
  public let route: Route
  /// Whether all was as it should be.
  public let passed: Bool
  /// What was not; empty when it passed.
  public let detail: String
  /// How long it took.
  public let seconds: Double

  /// An outcome as it was observed.
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

  /// The outcomes among lines of text; other lines are left out.
  public static func all(in text: String) -> [Outcome] {
    text.split(separator: "\n").compactMap {
      try? JSONDecoder().decode(Outcome.self, from: Data($0.utf8))
    }
  }
}
