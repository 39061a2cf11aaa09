/// One correct behaviour of PRFDevice, whatever the transport of the key.
public struct Behaviour: Sendable {
  /// The short name for the command line.
  public let name: String
  /// The row's title in docs/authenticators.md.
  public let title: String
  /// The simulated keys to plug in, each described in the form of ``KeySettings``.
  public let keys: [[String]]
  /// The requirements for the route to the key.
  public let needs: [Need]
  /// The number of touches of a real key, once it has the credential that behaviours share; nil if
  /// unsuitable for a real key.
  public let touches: Int?

  let body: @Sendable (PluggedKeys) async throws -> Void

  init(
    _ name: String, _ title: String, keys: [[String]] = [["pin=\(PluggedKeys.pinText)"]],
    needs: [Need] = [], touches: Int? = nil,
    _ body: @escaping @Sendable (PluggedKeys) async throws -> Void
  ) {
    self.name = name
    self.title = title
    self.keys = keys
    self.needs = needs
    self.touches = touches
    self.body = body
  }

  /// Creates a behaviour of one simulated key with a PIN and these settings.
  init(
    _ name: String, _ title: String, key settings: [String], needs: [Need] = [],
    _ body: @escaping @Sendable (PluggedKeys) async throws -> Void
  ) {
    self.init(
      name, title, keys: [["pin=\(PluggedKeys.pinText)"] + settings], needs: needs, body)
  }

  /// All behaviours, in the table's order.
  public static let all: [Behaviour] =
    opening + credentials + evaluation + preflight + pins + verification + refusals + endings
    + severalKeys

  /// The behaviour with this name.
  public static func named(_ name: String) -> Behaviour? { all.first { $0.name == name } }

  /// The reason why it is unsuitable for this route; nil if it is suitable.
  public func reasonAgainst(_ route: Route) -> String? {
    if route == .hardware, touches == nil { return "it is not harmless" }
    return needs.lazy.compactMap { route.lacks($0) }.first
  }

  /// Runs it and returns the outcome; never throws.
  public func run(with keys: PluggedKeys) async -> Outcome {
    let start = ContinuousClock.now
    var detail: String?
    do {
      try await body(keys)
    } catch {
      // The report of a real key contains only the kind of failure.
      detail = keys.route == .hardware ? (error as? Unmet)?.what ?? "\(error)" : "\(error)"
    }
    // A key that does not answer is closed only when its call has timed out, so a simulated one is
    // not waited for.
    let closing = Task { await keys.close() }
    if keys.route == .hardware { await closing.value }
    let seconds = start.duration(to: .now) / .seconds(1)
    return Outcome(
      behaviour: name, route: keys.route, passed: detail == nil, detail: detail ?? "",
      seconds: (seconds * 1000).rounded() / 1000)
  }
}
