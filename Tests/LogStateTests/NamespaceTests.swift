import CSPP
import LogState
import Testing

@Suite("Rule 2: one namespace is current")
struct NamespaceTests {
  static let (one, two, three) = (
    NamespaceID(1 as UInt64), NamespaceID(2 as UInt64), NamespaceID(3 as UInt64)
  )
  static let all: Set = [one, two, three]

  static func choice(
    _ contents: LogContents, _ memory: Remembered, opened: Set<NamespaceID> = all
  ) -> NamespaceChoice {
    NamespaceChoice(contents, opened: opened, own: opened, memory)
  }

  @Test func `A rotation by another computer stops this one until its person has answered`() {
    var contents = LogContents(operation(1, 1, 1, begin()))
    var memory = Remembered(current: Self.one)
    #expect(!Self.choice(contents, memory).mustWait)
    let draft = operation(2, 2, 1, .add(wallet(5, 1)))
    contents.insert(.operation(operation(2, 2, 2, begin(1, operations: [draft.name]))))
    let asked = Self.choice(contents, memory)
    #expect(asked.mustWait && asked.unanswered == [.namespace(Self.two)] && asked.step == .stay)
    memory.answer(.namespace(Self.two), .mine)
    let waits = Self.choice(contents, memory)
    #expect(waits.mustWait && waits.unanswered.isEmpty && waits.step == .stay, "it is not whole")
    contents.insert(.operation(draft))
    #expect(Self.choice(contents, memory).step == .move(to: Self.two))
    memory.move(to: Self.two, in: contents)
    let moved = Self.choice(contents, memory)
    #expect(!moved.mustWait && memory.earlier == [Self.one])
    memory.answer(.namespace(Self.two), .notMine)
    #expect(memory.current == Self.two, "an answer moves nothing back")
  }

  @Test func `An answer can be changed, and no answer moves nothing`() {
    let contents = LogContents(operation(1, 1, 1, begin()), operation(2, 2, 1, begin(1)))
    var memory = Remembered(current: Self.one)
    memory.answer(.namespace(Self.two), .notMine)
    let refused = Self.choice(contents, memory)
    #expect(!refused.mustWait && refused.step == .stay && refused.claims.isEmpty)
    memory.answer(.namespace(Self.two), .mine)
    #expect(Self.choice(contents, memory).step == .move(to: Self.two))
  }

  @Test func `An answer to a hint holds for the hint alone`() {
    var contents = LogContents(
      operation(1, 1, 1, begin()), operation(1, 1, 2, .takenOver(by: Self.two)))
    var memory = Remembered(current: Self.one)
    let hint = Claim.hint(in: Self.one, by: Self.two)
    #expect(Self.choice(contents, memory).unanswered == [hint])
    memory.answer(hint, .notMine)
    #expect(!Self.choice(contents, memory).mustWait)
    contents.insert(.operation(operation(2, 2, 1, begin(1))))
    #expect(Self.choice(contents, memory).unanswered == [.namespace(Self.two)])
    memory = Remembered(current: Self.one, answers: [.namespace(Self.two): .notMine])
    #expect(!Self.choice(contents, memory).mustWait, "who knows the namespace is not asked again")
    memory.answer(hint, .mine)
    #expect(Self.choice(contents, memory).mustWait)
  }

  @Test func `Of two it moves to the one that took over the other, else it asks`() {
    let first = [operation(1, 1, 1, begin()), operation(2, 2, 1, begin(1))]
    var memory = Remembered(current: Self.one)
    for namespace in [Self.two, Self.three] { memory.answer(.namespace(namespace), .mine) }
    let rivals = LogContents((first + [operation(3, 3, 1, begin(1))]).map(LogEntry.operation))
    #expect(Self.choice(rivals, memory).step == .ask([Self.two, Self.three]))
    let later = LogContents((first + [operation(3, 3, 1, begin(1, 2))]).map(LogEntry.operation))
    #expect(Self.choice(later, memory).step == .move(to: Self.three))
  }

  @Test func `A computer never moves in a circle`() {
    let contents = LogContents(operation(1, 1, 1, begin(2)), operation(2, 2, 1, begin(1)))
    let memory = Remembered(current: Self.one, answers: [.namespace(Self.two): .mine])
    let found = Self.choice(contents, memory)
    #expect(found.step == .stay && found.circles == [Self.two] && found.mustWait)
    let seen = Remembered(
      current: Self.one, earlier: [Self.two], answers: [.namespace(Self.two): .mine])
    let late = LogContents(operation(1, 1, 2), operation(2, 2, 1, begin(1)))
    #expect(Self.choice(late, seen).step == .stay, "what was seen to be earlier is remembered")
  }

  @Test func `A person names a namespace, also one that was taken over`() throws {
    let contents = LogContents(
      operation(1, 1, 1, begin()), operation(2, 2, 1, begin(1)),
      operation(3, 3, 1, .end(wallet(5, 1).name)),
      operation(1, 1, 2, .takenOver(by: Self.three)))
    var memory = Remembered(current: Self.two, earlier: [Self.one])
    try memory.name(Self.one, in: contents, opened: Self.all)
    #expect(memory.current == Self.one && memory.earlier.isEmpty)
    let named = Self.choice(contents, memory)
    #expect(!named.mustWait, "what says that it was taken over is not theirs")
    let before = memory
    #expect(throws: NamingError.notBegun(Self.three)) {
      try memory.name(Self.three, in: contents, opened: Self.all)
    }
    #expect(throws: NamingError.notOpen(Self.two)) {
      try memory.name(Self.two, in: contents, opened: [Self.one])
    }
    #expect(memory == before)
  }

  @Test func `A rotation answers for all that it did not take in`() {
    let contents = LogContents(
      operation(1, 1, 1, begin()), operation(2, 2, 1, begin(1)),
      operation(1, 1, 2, .takenOver(by: Self.two)), operation(3, 1, 3, begin(1)))
    var memory = Remembered(current: Self.one)
    memory.noteRotation(to: Self.three)
    #expect(Self.choice(contents, memory).step == .move(to: Self.three), "a crash before the move")
    memory.rotate(to: Self.three, in: contents, opened: Self.all)
    #expect(memory.current == Self.three && memory.answers[.namespace(Self.two)] == .notMine)
    #expect(memory.answers[.namespace(Self.three)] == .mine)
    #expect(!Self.choice(contents, memory).mustWait)
  }

  @Test func `Another backup and an unbegun rotation are shown until they are hidden`() {
    let contents = LogContents(
      operation(1, 1, 1, begin()), operation(2, 2, 1, begin()),
      operation(
        3, 3, 1,
        .addFile(SlotFile(KeyID(1 as UInt64), .own, Digest(1 as UInt64)), slot: KeyID(1 as UInt64)))
    )
    var memory = Remembered(current: Self.one)
    let shown = Self.choice(contents, memory)
    #expect(shown.others == [Self.two] && shown.unbegun == [Self.three] && !shown.mustWait)
    memory.answer(.namespace(Self.two), .notMine)
    memory.answer(.namespace(Self.three), .notMine)
    let hidden = Self.choice(contents, memory)
    #expect(hidden.others.isEmpty && hidden.unbegun.isEmpty)
  }

  @Test func `A new computer takes the only one that took over all others, by an own file`() {
    let contents = LogContents(
      operation(1, 1, 1, begin()), operation(2, 1, 2, begin(1)), operation(3, 3, 1, begin()))
    let new = Remembered()
    func step(own: Set<NamespaceID>, opened: Set<NamespaceID>) -> NamespaceChoice.Step {
      NamespaceChoice(contents, opened: opened, own: own, new).step
    }
    #expect(step(own: [Self.one, Self.two], opened: [Self.one, Self.two]) == .move(to: Self.two))
    #expect(step(own: [Self.one], opened: [Self.one, Self.two]) == .ask([Self.one, Self.two]))
    #expect(step(own: Self.all, opened: Self.all) == .ask(Self.all))
    #expect(NamespaceChoice(contents, opened: Self.all, own: Self.all, new).mustWait)
  }
}
