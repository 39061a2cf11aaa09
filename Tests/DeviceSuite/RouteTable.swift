/// The table of docs/authenticators.md: each behaviour on each route.
public struct RouteTable: Equatable, Sendable {
  /// What a cell says.
  public enum Cell: String, Sendable {
    case passed
    case failed = "NOT PASSED"
    case notRun = "not run"
    /// For another reason than ours: the footnote tells.
    case notApplicable = "n/a"
  }

  private static let begin = "<!-- written by device-suite: begin -->"
  private static let end = "<!-- written by device-suite: end -->"

  private var cells: [String: [Route: Cell]] = [:]

  /// A table of nothing but what is not for a route.
  public init() {}

  /// The table within a document.
  ///
  /// - Throws: when there is none.
  public init(in document: String) throws {
    guard let lines = Self.parts(of: document)?.table else {
      throw Unmet("no table between \(Self.begin) and \(Self.end)")
    }
    for line in lines where line.hasPrefix("| ") {
      let parts = line.dropFirst(2).dropLast(2).components(" | ")
      guard parts.count == Route.simulated.count + 1,
        let behaviour = Behaviour.all.first(where: { $0.title == parts[0] })
      else { continue }
      for (route, text) in zip(Route.simulated, parts.dropFirst()) {
        cells[behaviour.name, default: [:]][route] = Cell(rawValue: text)
      }
    }
  }

  /// What the table says of a behaviour.
  public subscript(behaviour: Behaviour, route: Route) -> Cell {
    if behaviour.reasonAgainst(route) != nil { return .notApplicable }
    return cells[behaviour.name]?[route] ?? .notRun
  }

  /// Enters what a run showed.
  public mutating func enter(_ outcome: Outcome) {
    cells[outcome.behaviour, default: [:]][outcome.route] = outcome.passed ? .passed : .failed
  }

  /// What the table says otherwise than a run showed; nil when both agree.
  public func contradiction(to outcome: Outcome) -> String? {
    guard let behaviour = Behaviour.named(outcome.behaviour) else {
      return "there is no behaviour \(outcome.behaviour)"
    }
    let said = self[behaviour, outcome.route]
    let shown = outcome.passed ? Cell.passed : .failed
    guard said != shown else { return nil }
    return "\(behaviour.name) on \(outcome.route.rawValue): the table says \(said.rawValue), "
      + "the run \(shown.rawValue) \(outcome.detail)"
  }

  /// The document with this table in place of its own.
  public func written(into document: String) throws -> String {
    guard let parts = Self.parts(of: document) else {
      throw Unmet("no table between \(Self.begin) and \(Self.end)")
    }
    return (parts.before + [Self.begin] + lines + [Self.end] + parts.after)
      .joined(separator: "\n")
  }

  private static func parts(
    of document: String
  ) -> (before: [String], table: [String], after: [String])? {
    let lines = document.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let first = lines.firstIndex(of: begin), let last = lines.firstIndex(of: end),
      first < last
    else { return nil }
    return (Array(lines[..<first]), Array(lines[(first + 1)..<last]), Array(lines[(last + 1)...]))
  }

  private var lines: [String] {
    var reasons: [String] = []
    let routes = Route.simulated
    var rows = ["| Behaviour | " + routes.map(\.title).joined(separator: " | ") + " |"]
    rows.append("|---|" + routes.map { _ in "---|" }.joined())
    for behaviour in Behaviour.all {
      let texts = routes.map { route in
        guard let reason = behaviour.reasonAgainst(route) else {
          return self[behaviour, route].rawValue
        }
        if !reasons.contains(reason) { reasons.append(reason) }
        return "n/a (\((reasons.firstIndex(of: reason) ?? 0) + 1))"
      }
      rows.append("| \(behaviour.title) | " + texts.joined(separator: " | ") + " |")
    }
    let notes = reasons.enumerated().map { "\($0.offset + 1). Not applicable: \($0.element)." }
    return [""] + rows + [""] + notes + (notes.isEmpty ? [] : [""])
  }
}

extension Substring {
  fileprivate func components(_ separator: String) -> [String] {
    split(separator: separator, omittingEmptySubsequences: false).map(String.init)
  }
}
