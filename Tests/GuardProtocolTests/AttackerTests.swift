import CSPP
import RistrettoVOPRF
import TestSupport
import Testing

@testable import GuardProtocol

/// The design's table: guesses of an attacker against the real accounts, by time after the start.
@Suite("Attackers of a PIN way")
struct AttackerTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let guards, needed, attackers: Int
    /// After a minute, an hour, a day, two days, three days, and in all.
    let guesses: [Int]
    var testDescription: String { "\(needed) of \(guards), \(attackers) the attacker's" }

    func bound() throws -> Int {
      try GuardThreshold(guards: guards, needed: needed)
        .guesses(tries: DelaySchedule.pin.tries, attackers: attackers)
    }
  }

  static let rows = [
    Row(guards: 1, needed: 1, attackers: 0, guesses: [6, 10, 10, 15, 18, 20]),
    Row(guards: 3, needed: 2, attackers: 0, guesses: [9, 15, 15, 22, 27, 30]),
    Row(guards: 3, needed: 2, attackers: 1, guesses: [12, 20, 20, 30, 36, 40]),
    Row(guards: 5, needed: 3, attackers: 0, guesses: [10, 16, 16, 25, 30, 33]),
    Row(guards: 5, needed: 3, attackers: 1, guesses: [12, 20, 20, 30, 36, 40]),
    Row(guards: 5, needed: 3, attackers: 2, guesses: [18, 30, 30, 45, 54, 60]),
  ]
  private static let marks: [UInt64] = [60, 3600, 86_400, 172_800, 259_200, 4_000_000]

  /// The honest guards, with an account each as the owner left it, and what they answered.
  private struct Game {
    private var accounts: [PINAccount]
    private let evaluation: ([RistrettoElement], DLEQProof)
    /// For each guess, the honest guards that evaluated it.
    private(set) var answered: [Int: Set<Int>] = [:]
    private let wanted: Int

    init(_ row: Row) throws {
      let key = try guardKey()
      let one = try element(0)
      let answer = try key.evaluate([one])
      evaluation = (answer.evaluated, answer.proof)
      var account = PINAccount(.pin, createdAt: 0)
      _ = try account.evaluate(one, counter: 0, at: 0) { answer }
      try account.confirm(counter: 1, at: 0)
      accounts = Array(repeating: account, count: row.guards - row.attackers)
      wanted = row.needed - row.attackers
    }

    var guards: Range<Int> { accounts.indices }
    var complete: Int { answered.values.count { $0.count >= wanted } }
    /// The next second in which a guard gives an answer.
    var next: UInt64? { accounts.compactMap(\.limiter.notBefore).min() }
    func isOpen(_ place: Int, at now: UInt64) -> Bool {
      accounts[place].limiter.notBefore.map { now >= $0 } ?? false
    }

    /// Asks one guard about one guess; the element is the guess's.
    mutating func ask(
      _ place: Int, about guess: Int, _ element: RistrettoElement, at now: UInt64
    ) -> Bool {
      let counter = accounts[place].life.counter
      var account = accounts[place]
      let evaluation = evaluation
      let refused = refusal { () throws(GuardRefusal) in
        try account.evaluate(element, counter: counter, at: now) {
          (evaluated: evaluation.0, proof: evaluation.1)
        }
      }
      guard refused == nil else { return false }
      accounts[place] = account
      answered[guess, default: []].insert(place)
      return true
    }
  }

  private static func elements() throws -> [RistrettoElement] {
    try (0..<70).map { (number) throws(VOPRFError) in try element(number) }
  }

  @Test(arguments: rows)
  func `The best attacker has the guesses of the table, to the last one`(_ row: Row) throws {
    let elements = try Self.elements()
    var game = try Game(row)
    let each = row.needed - row.attackers
    let honest = game.guards.count
    // Guess g is tried at the next guards in turn, so that all are spent evenly. Each guard is
    // asked about the guesses of its turns, in their order, as soon as it answers.
    var turns = game.guards.map { place in
      elements.indices.flatMap { guess in
        (0..<each).filter { (guess * each + $0) % honest == place }.map { _ in guess }
      }[...]
    }
    var found: [Int] = []
    var now: UInt64 = 0
    for mark in Self.marks {
      while now <= mark {
        for place in game.guards {
          while game.isOpen(place, at: now), let guess = turns[place].first,
            game.ask(place, about: guess, elements[guess], at: now)
          {
            turns[place].removeFirst()
          }
        }
        guard let next = game.next else { break }
        now = max(next, now + 1)
      }
      found.append(game.complete)
    }
    #expect(found == row.guesses)
    #expect(game.next == nil, "all tries are spent")
    #expect(game.complete == (try row.bound()))
  }

  @Test(arguments: rows)
  func `No attacker who asks at random has more`(_ row: Row) throws {
    let elements = try Self.elements()
    var generator = SeededGenerator(seed: TestSeed.value)
    let bound = try row.bound()
    for _ in 0..<20 {
      var game = try Game(row)
      var now: UInt64 = 0
      var column = 0
      while let next = game.next {
        let wait = ([0, 0, 60, 90_000] as [UInt64]).randomElement(using: &generator) ?? 0
        now = max(now, next) + .random(in: 0...wait, using: &generator)
        // What was found up to each mark that is over.
        while column < Self.marks.count, now > Self.marks[column] {
          #expect(game.complete <= row.guesses[column])
          column += 1
        }
        let place = Int.random(in: game.guards, using: &generator)
        // A guess that other guards answered, or another one.
        let open = game.answered.filter { !$0.value.contains(place) }.keys.sorted()
        let guess = open.randomElement(using: &generator) ?? game.answered.count
        _ = game.ask(place, about: guess, elements[min(guess, 69)], at: now)
      }
      #expect(game.complete <= bound)
    }
  }
}
