import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

/// The word that tells whether a folder is the newest that another computer knew.
struct FreshnessTests {
  private func name(_ writer: UInt64, _ counter: UInt64) -> OperationName {
    OperationName(
      writer: WriterID(words: [writer, 0]), counter: counter,
      digest: Digest(words: [writer, counter, 0, 0]))
  }

  private func word(_ names: OperationName...) -> FreshnessWord { FreshnessWord(last: names) }

  @Test(
    arguments: [
      ("0123456789", "0123456789"), ("O123-4567-89", "0123456789"), ("abcde fghjk", "abcdefghjk"),
      ("ABCDEFGHJK", "abcdefghjk"), ("iLoL000000", "1101000000"),
      ("0123-4567-89AB-CDEF", "0123456789abcdef"),
    ])
  func `A word is read as a person writes it`(_ typed: String, _ word: String) {
    #expect(FreshnessWord(typed)?.description == word)
  }

  @Test(
    arguments: [
      "", "012345678", "01234567890", "0123456789abcde", "0123456789abcdef0", "u123456789", "é",
    ])
  func `Anything else is no word`(_ typed: String) { #expect(FreshnessWord(typed) == nil) }

  @Test
  func `A word of version 0.1.0, the first ten characters, is still compared`() throws {
    let now = word(name(1, 7), name(2, 3))
    let written = try #require(FreshnessWord(now.description.prefix(10)))
    let states = EarlierStates(of: (1...7).map { name(1, $0) } + (1...3).map { name(2, $0) })
    #expect(states.find(written, limit: 1) == .same)
    #expect(now.description.count == 16 && now.grouped.count == 19)
  }

  @Test
  func `A word of an earlier state is found, with the number of operations since`() {
    let (a, b) = ((1...30).map { name(1, $0) }, (1...20).map { name(2, $0) })
    let states = EarlierStates(of: a + b)
    #expect(states.find(word(a[29], b[19]), limit: 1) == .same)
    #expect(states.find(word(b[19], a[29]), limit: 1) == .same)
    #expect(states.find(word(a[28], b[19]), limit: 1000) == .newer(operations: 1))
    #expect(states.find(word(a[9], b[4]), limit: 1000) == .newer(operations: 35))
    #expect(states.find(word(a[0]), limit: 1000) == .newer(operations: 49))
    #expect(states.find(word(a[29], name(2, 21)), limit: 1000) == .lacking(triedAll: true))
    #expect(states.find(word(a[29], b[19], name(3, 1)), limit: 1000) == .lacking(triedAll: true))
    #expect(states.find(word(a[0]), limit: 100) == .lacking(triedAll: false))
    #expect(EarlierStates(of: []).find(word(a[0]), limit: 10) == .lacking(triedAll: true))
  }

  @Test
  func `Every earlier state of a few writers is tried, each once`() {
    let names = (1...3).flatMap { writer in (1...4).map { name(writer, $0) } }
    let states = EarlierStates(of: names)
    var tried = 0
    for a in 0...4 {
      for b in 0...4 {
        for c in 0...4 {
          let last = [(1, a), (2, b), (3, c)].filter { $0.1 > 0 }
            .map { name(UInt64($0.0), UInt64($0.1)) }
          let since = 12 - a - b - c
          #expect(
            states.find(FreshnessWord(last: last), limit: 125)
              == (since == 0 ? .same : .newer(operations: since)))
          tried += 1
        }
      }
    }
    #expect(tried == 125)
    let other = word(name(4, 1))
    #expect(states.find(other, limit: 125) == .lacking(triedAll: true))
    #expect(states.find(other, limit: 124) == .lacking(triedAll: false))
  }

  @Test
  func `A folder with very many writers is compared in bounded time`() {
    let states = EarlierStates(of: (1...20_000).map { name($0, 1) })
    #expect(states.find(word(name(0, 1)), limit: 200_000) == .lacking(triedAll: false))
    let all = FreshnessWord(last: (1...20_000).map { name($0, 1) })
    #expect(states.find(all, limit: 200_000) == .same)
  }

  @Test
  func `What another computer wrote down settles whether this folder is the newest`() throws {
    let scene = try Scene()
    var a = try scene.create("a")
    try a.add(.of("w1"))
    let early = try #require(FreshnessWord(a.health.freshness))
    let old = scene.base + "/old"
    try FileManager.default.copyItem(atPath: scene.folder, toPath: old)
    var b = try scene.unlock("b")
    try b.add(.of("w2"))
    let late = try #require(FreshnessWord(b.health.freshness))
    let namespace = try scene.open("new").namespace()
    #expect(try namespace.compare(with: late) == .same)
    #expect(try namespace.compare(with: early) == .newer(operations: 1))
    let older = try scene.open("new", old).namespace()
    #expect(try older.compare(with: early) == .same)
    #expect(try older.compare(with: late) == .lacking(triedAll: true))
    // A file that is on its way has only a name, so nothing can be told.
    let writers = b.writers
    let own = try #require(writers.first { $0.isThisComputer }).id.hex
    let files = try scene.logFiles()
    let file = try #require(files.first { $0.contains(own) })
    try Data().write(to: URL(fileURLWithPath: file))
    #expect(try namespace.compare(with: late) == .unknown)
    #expect(try namespace.compare(with: early) == .unknown)
    #expect(try namespace.checkStructure().health.incomplete == 1)
    try FileManager.default.removeItem(atPath: file)
    #expect(try namespace.compare(with: late) == .lacking(triedAll: true))
    #expect(try namespace.compare(with: early) == .same)
  }
}
