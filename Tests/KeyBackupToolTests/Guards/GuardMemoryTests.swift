import Testing

@testable import CommandKit
@testable import Unlocking

/// What this computer remembers of a guard, compared with what the guard says.
@Suite struct GuardMemoryTests {
  @Test func `A lost request to a guard that was set back is no try of a later one`() {
    // The guard named 3 when it was asked, and 5 before it was set back.
    let memory = GuardMemory(counter: 5, spent: 1, asked: 3)
    let same = GuardMemory.compare(counter: 5, left: 19, of: 20, with: memory)
    #expect(same == GuardMemory.Finding(unknownTries: 0, isSetBack: false, ownTries: 1))
    let lower = GuardMemory.compare(counter: 4, left: 18, of: 20, with: memory)
    #expect(lower.isSetBack && lower.unknownTries == 2)
  }

  @Test func `A request whose answer was lost is this computer's own try, if it arrived`() {
    let memory = GuardMemory(counter: 5, spent: 1, asked: 5)
    let arrived = GuardMemory.compare(counter: 6, left: 18, of: 20, with: memory)
    #expect(arrived == GuardMemory.Finding(unknownTries: 0, isSetBack: false, ownTries: 2))
    let lost = GuardMemory.compare(counter: 5, left: 19, of: 20, with: memory)
    #expect(lost == GuardMemory.Finding(unknownTries: 0, isSetBack: false, ownTries: 1))
  }

  @Test func `Requests of others since the last one of this computer are counted`() {
    let memory = GuardMemory(counter: 5, spent: 0)
    func others(_ counter: UInt64, left: Int, _ memory: GuardMemory?) -> UInt64 {
      GuardMemory.compare(counter: counter, left: left, of: 20, with: memory).others
    }
    #expect(others(5, left: 20, memory) == 0)
    // A try; a try and its tries given back; a guard that was set back; a computer that is new.
    #expect(others(6, left: 19, memory) == 1)
    #expect(others(7, left: 20, memory) == 2)
    #expect(others(4, left: 20, memory) == 0)
    #expect(others(7, left: 19, nil) == 0)
    #expect(others(5 + (1 << 32), left: 3, memory) == 0)
    // This computer's own request, whose answer was lost.
    let asked = GuardMemory(counter: 5, spent: 0, asked: 5)
    #expect(others(6, left: 19, asked) == 0)
    #expect(others(7, left: 18, asked) == 1)
    let back = GuardMemory(counter: 5, spent: 1, back: 5)
    #expect(others(6, left: 20, back) == 0)
    #expect(others(7, left: 20, back) == 1)
    // It did not arrive, and somebody spent a try.
    let tried = GuardMemory.compare(counter: 6, left: 18, of: 20, with: back)
    #expect(tried.others == 1 && tried.unknownTries == 1)
  }

  @Test func `A guard that was moved gives few tries, which nobody spent`() {
    let moved: UInt64 = 5 + (1 << 32)
    let memory = GuardMemory(counter: 5, spent: 1, asked: nil)
    let found = GuardMemory.compare(counter: moved, left: 3, of: 20, with: memory)
    #expect(found.isMoved && !found.isSetBack && found.unknownTries == 0 && found.ownTries == 17)
    // A computer that knows nothing of it sees the counter.
    let new = GuardMemory.compare(counter: moved, left: 3, of: 20, with: nil)
    #expect(new.isMoved && new.unknownTries == 0)
    // This computer's try after the move is its own.
    let tried = GuardMemory(counter: moved + 1, spent: found.ownTries + 1, asked: nil)
    let own = GuardMemory.compare(counter: moved + 1, left: 2, of: 20, with: tried)
    #expect(own.unknownTries == 0 && own.ownTries == 18)
    // Another's try after it is not.
    let foreign = GuardMemory.compare(counter: moved + 1, left: 2, of: 20, with: memory)
    #expect(foreign.isMoved && foreign.unknownTries == 1)
    // After the tries were given back, spent tries are as always.
    let later = GuardMemory.compare(counter: moved + 9, left: 15, of: 20, with: memory)
    #expect(!later.isMoved && later.unknownTries == 5)
  }

  @Test func `A damaged file's numbers are survived`() {
    let memory = GuardMemory(counter: .max, spent: .max, asked: UInt64.max)
    #expect(GuardMemory.compare(counter: 0, left: 20, of: 20, with: memory).isSetBack)
    let many = GuardMemory(counter: 0, spent: .max, asked: 0)
    #expect(GuardMemory.compare(counter: 1, left: 20, of: 20, with: many).unknownTries == 0)
  }
}
