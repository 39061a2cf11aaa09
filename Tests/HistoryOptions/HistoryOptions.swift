public import ArgumentParser
public import TestSupport

/// The histories that a tool plays.
public struct HistoryOptions: ParsableArguments {
  @Option(help: "How many histories.")
  var histories = 1000
  @Option(help: "The first one's seed; each one more has the next.")
  var seed = UInt64.random(in: 0..<1_000_000_000)
  @Option(help: "Only histories of this kind; else all kinds in turn.")
  var kind: String?
  @Option(help: "Only these steps of one history: numbers with commas.")
  var steps: String?
  /// Whether to show the events also where all is well.
  @Flag(help: "Show what happened also where all is well.")
  public var show = false
  /// The number of bad histories after which to stop.
  @Option(help: "Stop after so many bad histories.")
  public var failures = 5

  /// Creates the options that the parser fills.
  public init() {}

  /// The number of histories.
  public var count: Int { steps == nil ? histories : 1 }

  /// Whether the steps are given: then there is nothing to shrink.
  public var isExact: Bool { steps != nil }

  /// The histories to play, one after the other.
  ///
  /// - Parameter type: their type.
  /// - Returns: the histories; each is made when it is asked for.
  /// - Throws: if there is no such kind.
  public func all<History: RandomHistory>(
    _ type: History.Type
  ) throws -> some Sequence<History> {
    let kinds = try kinds(of: type)
    print("seed \(seed)")
    let steps = steps?.split(separator: ",").compactMap { Int($0) }
    return (0..<UInt64(count)).lazy.map { number in
      let seed = seed &+ number
      var history = History(kinds[Int(seed % UInt64(kinds.count))], seed: seed)
      if let steps { history.steps = steps }
      return history
    }
  }

  private func kinds<History: RandomHistory>(of type: History.Type) throws -> [History.Kind] {
    let all = Array(History.Kind.allCases)
    guard let kind else { return all }
    guard let one = History.Kind(rawValue: kind) else {
      let names = all.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("no such kind of history: \(kind). The kinds are \(names)")
    }
    return [one]
  }
}
