/// The table of docs/authenticators.md: each behaviour on each route.
public struct RouteTable: Equatable, Sendable {
  /// The contents of a cell.
  public enum Cell: String, Sendable {
    case passed
    case failed = "NOT PASSED"
    case notRun = "not run"
    /// Not applicable for a reason outside this project, given in a footnote.
    case notApplicable = "n/a"
  }

  private static let begin = "<!-- written by device-suite: begin -->"
  private static let end = "<!-- written by device-suite: end -->"

  private var cells: [String: [Route: Cell]] = [:]

  /// Creates a table in which nothing was run.
  public init() {}

  /// Parses the table within a document.
  ///
  /// - Throws: if there is none.
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

  /// The cell of a behaviour and a route.
  public subscript(behaviour: Behaviour, route: Route) -> Cell {
    if behaviour.reasonAgainst(route) != nil { return .notApplicable }
    return cells[behaviour.name]?[route] ?? .notRun
  }

  /// Enters the outcome of a run.
  public mutating func enter(_ outcome: Outcome) {
    cells[outcome.behaviour, default: [:]][outcome.route] = outcome.passed ? .passed : .failed
  }

  /// The difference between the table and the outcome of a run; nil when both agree.
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

  /// The document with this table instead of its own.
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
