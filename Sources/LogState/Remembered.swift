// Rule 2: a computer's memory, what it asks a person, and what an answer does.

public import CSPP

/// Something that only a person can decide.
public enum Claim: Hashable, Sendable {
  /// A namespace: it says that it took the current one over, or it is another backup.
  case namespace(NamespaceID)
  /// A hint in a namespace that another one took it over. An answer holds for the hint alone.
  case hint(in: NamespaceID, by: NamespaceID)
}

/// A person's word on a claim.
public enum Answer: Hashable, Sendable {
  /// It is theirs: the computer moves as soon as the namespace is whole.
  case mine
  /// It is not theirs.
  case notMine
}

/// The reason why a namespace cannot be named as the current one.
public enum NamingError: Error, Hashable, Sendable {
  /// No key opens it.
  case notOpen(NamespaceID)
  /// Its beginning is not here.
  case notBegun(NamespaceID)
}

/// The memory that a computer has of its backup.
///
/// Nothing in the folder changes it.
public struct Remembered: Hashable, Sendable {
  /// Its backup; nil on a new computer.
  public private(set) var current: NamespaceID?
  /// The namespaces that it saw to be earlier than this one.
  public private(set) var earlier: Set<NamespaceID>
  /// The answers of its person.
  public private(set) var answers: [Claim: Answer]
  /// The names of its own operations, each remembered before it is published.
  public private(set) var own: Set<OperationID>
  /// The ends of the chains that it has seen.
  public private(set) var seen: Freshness

  /// Creates the memory of a new computer, or that which was stored.
  public init(
    current: NamespaceID? = nil, earlier: Set<NamespaceID> = [], answers: [Claim: Answer] = [:],
    own: Set<OperationID> = [], seen: Freshness = Freshness()
  ) {
    self.current = current
    self.earlier = earlier
    self.answers = answers
    self.own = own
    self.seen = seen
  }

  /// Remembers what a look at the folder has shown.
  public mutating func note(_ contents: LogContents) {
    guard let current else { return }
    earlier.formUnion(contents.earlier(than: current))
    let now = Freshness(of: contents, in: earlier.union([current]))
    let lost = seen.ends.values.filter { !contents.names.contains($0) }
    seen = now.replacing(with: lost)
  }

  /// Forgets what was seen or written and is not here: a person has accepted its loss.
  public mutating func accept(_ contents: LogContents) {
    own.formIntersection(contents.names)
    seen = Freshness(seen.ends.values.filter(contents.names.contains))
    note(contents)
  }

  /// Remembers the name of an own operation that is about to be published.
  public mutating func note(own name: OperationID) { own.insert(name) }

  /// Remembers an answer, or another one than before.
  public mutating func answer(_ claim: Claim, _ answer: Answer) { answers[claim] = answer }

  /// Makes a namespace the current one because a person named it, also one that was taken over.
  ///
  /// What says that it took that one over is not theirs. Nothing in the folder changes.
  ///
  /// - Parameters:
  ///   - namespace: the namespace.
  ///   - contents: what is here.
  ///   - opened: the namespaces that open.
  /// - Throws: if it does not open or has not begun. The memory is as before.
  public mutating func name(
    _ namespace: NamespaceID, in contents: LogContents, opened: Set<NamespaceID>
  ) throws(NamingError) {
    guard opened.contains(namespace) else { throw .notOpen(namespace) }
    guard contents.hasBegun(namespace) else { throw .notBegun(namespace) }
    answers[.namespace(namespace)] = .mine
    for claim in contents.claims(on: namespace, opened: opened) { answers[claim] = .notMine }
    move(to: namespace, in: contents)
  }

  /// Notes a new namespace before the operation with which it begins.
  public mutating func noteRotation(to namespace: NamespaceID) {
    answers[.namespace(namespace)] = .mine
  }

  /// Moves to the namespace that this computer's rotation made.
  ///
  /// It is an answer to all that says that it took over what counted: these are not theirs.
  ///
  /// - Parameters:
  ///   - namespace: the new namespace.
  ///   - contents: what is here.
  ///   - opened: the namespaces that open.
  public mutating func rotate(
    to namespace: NamespaceID, in contents: LogContents, opened: Set<NamespaceID>
  ) {
    if let current {
      for claim in contents.claims(on: current, opened: opened) { answers[claim] = .notMine }
    }
    answers[.namespace(namespace)] = .mine
    move(to: namespace, in: contents)
  }

  /// Moves to a successor, or to the namespace that a new computer takes.
  ///
  /// Only that of ``NamespaceChoice/Step/move(to:)`` is right.
  public mutating func move(to namespace: NamespaceID, in contents: LogContents) {
    current = namespace
    earlier = []
    note(contents)
  }

  func isRefused(_ claim: Claim) -> Bool {
    if answers[claim] == .notMine { return true }
    // Who knows that a namespace is not theirs is not asked for a hint that names it.
    if case .hint(_, let namespace) = claim {
      return answers[claim] == nil && answers[.namespace(namespace)] == .notMine
    }
    return false
  }
}

extension LogContents {
  /// All that says that a namespace was taken over: of what opens, and of hints.
  func claims(on namespace: NamespaceID, opened: Set<NamespaceID>) -> Set<Claim> {
    Set(successors(of: namespace, opened: opened).map(Claim.namespace))
      .union(hints(in: namespace).map { Claim.hint(in: namespace, by: $0) })
  }
}

/// Which namespace a computer reads and writes, and what it asks its person.
public struct NamespaceChoice: Hashable, Sendable {
  /// The first thing that a computer does.
  public enum Step: Hashable, Sendable {
    /// It stays where it is.
    case stay
    /// It moves: to what its person has compared, or, on a new computer, to the only one possible.
    case move(to: NamespaceID)
    /// A person names one of these.
    case ask(Set<NamespaceID>)
  }

  /// The first thing that it does.
  public let step: Step
  /// Everything that says that the current namespace was taken over, and was not answered with "not mine".
  public let claims: Set<Claim>
  /// Of these, what a person has not answered.
  public let unanswered: Set<Claim>
  /// Of what says so, namespaces that are also earlier than the current one: a computer never moves there.
  public let circles: Set<NamespaceID>
  /// Other backups that open, and are not hidden by an answer.
  public let others: Set<NamespaceID>
  /// Namespaces with operations that have not begun: interrupted rotations, not hidden by an answer.
  public let unbegun: Set<NamespaceID>

  /// Whether nothing may be written: something says that the current namespace was taken over.
  public var mustWait: Bool { !claims.isEmpty || step != .stay }

  /// Looks at all that opens.
  ///
  /// - Parameters:
  ///   - contents: what is here.
  ///   - opened: the namespaces that open.
  ///   - own: of these, what a key slot opens by a file of its own.
  ///   - memory: what the computer remembers.
  public init(
    _ contents: LogContents, opened: Set<NamespaceID>, own: Set<NamespaceID>, _ memory: Remembered
  ) {
    func shown(_ namespace: NamespaceID) -> Bool { !memory.isRefused(.namespace(namespace)) }
    var unbegun = opened.filter {
      contents.claims[$0] != nil && !contents.hasBegun($0) && shown($0)
    }
    guard let current = memory.current else {
      let visible = opened.filter {
        shown($0) && (contents.hasBegun($0) || contents.claims[$0] == nil)
      }
      step =
        contents.newComputer(own: own, opened: opened).map(Step.move(to:)) ?? .ask(visible)
      (claims, unanswered, circles, others) = ([], [], [], visible)
      self.unbegun = unbegun
      return
    }
    let before = memory.earlier.union(contents.earlier(than: current))
    unbegun.subtract(before.union([current]))
    self.unbegun = unbegun
    let successors = contents.successors(of: current, opened: opened)
    let claims = contents.claims(on: current, opened: opened).filter { !memory.isRefused($0) }
    self.claims = claims
    unanswered = claims.filter { memory.answers[$0] == nil }
    circles = successors.intersection(before)
    others = opened.subtracting(before).subtracting(successors).subtracting([current]).filter {
      shown($0) && (contents.hasBegun($0) || contents.claims[$0] == nil)
    }
    let possible = successors.subtracting(before).filter {
      memory.answers[.namespace($0)] == .mine && contents.isWhole($0)
    }
    let last = possible.filter {
      possible.subtracting([$0]).isSubset(of: contents.earlier(than: $0))
    }
    step =
      if possible.isEmpty { .stay } else if last.count == 1, let one = last.first {
        .move(to: one)
      } else { .ask(possible) }
  }
}
