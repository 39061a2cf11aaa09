import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP

/// Missing changes of silent writers that a person accepts.
@Suite("Accepting that changes without the key are missing")
struct AcceptedGapsTests {
  private let scene: Scene
  private let node: SilentComputer

  init() throws {
    scene = try Scene(inMemory: true)
    _ = try scene.create("a")
    node = try SilentComputer(scene)
  }

  private func path(_ operation: CSPP.Operation.Seen) throws -> String {
    "\(try node.chain)/"
      + FolderLayout.operationFile(counter: operation.counter, digest: operation.digest)
  }

  private func remove(_ operation: CSPP.Operation.Seen) throws {
    try FileManager.default.removeItem(atPath: path(operation))
  }

  /// Opens the backup, remembers what was found, and tells whether something is missing.
  private func lacks(_ computer: String) throws -> Bool {
    var open = try scene.unlock(computer)
    try open.remember()
    return open.silentWriters().contains(where: \.lacksChanges)
  }

  /// - Returns: the number of gaps that were accepted.
  @discardableResult
  private func accept(_ computer: String) throws -> Int {
    let namespace = try scene.open(computer).namespace()
    let acceptance = try namespace.acceptance()
    try namespace.accept(acceptance)
    return acceptance.gaps + acceptance.health.rolledBack
  }

  @Test
  func `One that only another computer has seen`() throws {
    try node.write("one")
    let lost = try node.write("two")
    var open = try scene.unlock("a")
    try open.write("own", "notes")
    try remove(lost)
    #expect(try lacks("b"))
    #expect(try accept("b") == 1)
    #expect(try !lacks("b"))
    #expect(try accept("b") == 0)
  }

  /// A copy of the computer wrote one with the same counter.
  @Test
  func `One beside which another one has its counter`() throws {
    try node.write("one")
    var lost: CSPP.Operation.Seen?
    try node.withClonedState { try node.write("two") }
    let before = try FileManager.default.contentsOfDirectory(atPath: node.chain)
    let aside = scene.base + "/aside"
    let other = try #require(before.first { $0.hasPrefix("00000002") })
    try FileManager.default.moveItem(atPath: "\(node.chain)/\(other)", toPath: aside)
    lost = try node.write("two again")
    try node.write("three")
    try FileManager.default.moveItem(atPath: aside, toPath: "\(node.chain)/\(other)")
    try remove(#require(lost))
    #expect(try lacks("b"))
    #expect(try accept("b") == 1)
    #expect(try !lacks("b"))
  }

  /// What was missing when the backup was last opened has come since.
  @Test
  func `One that has come is not among those that are accepted`() throws {
    let operations = try (1...4).map { try node.write("\($0)") }
    var open = try scene.unlock("a")
    try open.write("own", "notes")
    let aside = try Data(contentsOf: URL(fileURLWithPath: path(operations[3])))
    try remove(operations[3])
    #expect(try lacks("b"))
    try aside.write(to: URL(fileURLWithPath: path(operations[3])))
    try remove(operations[0])
    try accept("b")
    try remove(operations[3])
    #expect(try lacks("b"))
  }

  @Test
  func `A gap that was closed is not accepted, nor a file that was damaged and is whole`() throws {
    let operations = try (1...5).map { try node.write("\($0)") }
    let paths = try operations.map { try path($0) }
    let whole = try paths.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
    try remove(operations[1])
    try Data("xx".utf8).write(to: URL(fileURLWithPath: paths[3]))
    #expect(try lacks("b"))
    for place in [1, 3] { try whole[place].write(to: URL(fileURLWithPath: paths[place])) }
    try remove(operations[0])
    try accept("b")
    let namespace = try scene.open("b").namespace()
    #expect(namespace.rememberedFiles.acceptedGaps.map(\.counter) == [2])
    #expect(namespace.rememberedFiles.acceptedLosses.map(\.counter) == [1])
  }

  /// A sync program kept both, and the one with the operation's own name went.
  @Test
  func `One of which a conflict copy is here is not missing`() throws {
    let operations = try (1...3).map { try node.write("\($0)") }
    #expect(try !lacks("b"))
    let own = try path(operations[1])
    let copy = own.dropLast(".json".count) + " (conflicted copy).json"
    try FileManager.default.moveItem(atPath: own, toPath: String(copy))
    let namespace = try scene.open("b").namespace()
    #expect(try namespace.missingSealed().isEmpty && !namespace.acceptance().isNeeded)
    // Other bytes under such a name are no copy.
    try Data("xx".utf8).write(to: URL(fileURLWithPath: String(copy)))
    #expect(try namespace.missingSealed().map(\.counter) == [2])
  }

  @Test(arguments: ["", "{", "xx"])
  func `One that is damaged is not missing while a conflict copy is whole`(_ damage: String) throws
  {
    let operations = try (1...3).map { try node.write("\($0)") }
    let own = try path(operations[1])
    let copy = own.dropLast(".json".count) + " (conflicted copy).json"
    try FileManager.default.copyItem(atPath: own, toPath: String(copy))
    try Data(damage.utf8).write(to: URL(fileURLWithPath: own))
    for computer in ["b", "c"] {
      var open = try scene.unlock(computer)
      try open.remember()
      #expect(open.sealedFindings.map(\.state) == [.foreign])
      #expect(!open.hasSealedGap && open.silentWriters().allSatisfy { !$0.lacksChanges })
    }
    try FileManager.default.removeItem(atPath: String(copy))
    #expect(
      try scene.unlock("b").sealedFindings.map(\.state) == [
        damage == "xx" ? .unreadable : .incomplete
      ])
    #expect(try lacks("b"))
  }

  @Test
  func `One whose authorisation is gone, and what anybody put there`() throws {
    try node.write("one")
    #expect(try !lacks("b"))
    let log = try scene.namespacePath + "/keybackup/log"
    let name = try #require(
      try FileManager.default.subpathsOfDirectory(atPath: log).first { $0.contains("/00000002-") })
    try FileManager.default.removeItem(atPath: "\(log)/\(name)")
    let state = { [scene] (computer: String) in
      var open = try scene.unlock(computer)
      try open.remember()
      return (open.sealedFindings.map(\.state), open.health.rolledBack)
    }
    #expect(try state("b") == ([.incomplete], 2))
    try accept("b")
    #expect(try state("b") == ([.foreign], 0))
    // On a computer that never opened it.
    #expect(try state("c") == ([.incomplete], 0))
    #expect(try accept("c") == 1)
    #expect(try state("c") == ([.foreign], 0))
  }

  @Test
  func `An accepted loss hides no later one`() throws {
    try node.write("one")
    let second = try node.write("two")
    let last = try node.write("three")
    let computer = node.computer
    let holds = { [scene] in
      let folder = try scene.open(computer)
      return try folder.holdsLastChange(of: #require(try folder.localSilentWriters().last))
    }
    try remove(second)
    try accept(computer)
    #expect(try holds())
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path(last)))
    try remove(last)
    #expect(try !holds())
    try accept(computer)
    #expect(try holds())
    // It comes back, and goes again.
    try bytes.write(to: URL(fileURLWithPath: path(last)))
    #expect(try holds())
    try remove(last)
    #expect(try !holds())
  }

  @Test
  func `The memory is read as it was written, also an earlier program's`() throws {
    let writer = WriterID.random()
    let names = (1...5).map {
      OperationName(writer: writer, counter: $0, digest: Digest(of: [UInt8($0)].span))
    }
    var memory = FileMemory()
    memory.verified = [names[0]]
    memory.acceptedGaps = [names[1]]
    memory.acceptedLosses = [names[2]]
    memory.gaps = [names[3]]
    memory.losses = [names[4]]
    #expect(FileMemory(memory.bytes.span) == memory)
    var stem: [UInt8] = []
    names[0].appendStem(to: &stem)
    let old =
      "keybackup-files 1\naccepted \(writer)\n\(String(decoding: stem, as: UTF8.self))\nend\n"
    let read = FileMemory(Array(old.utf8).span)
    #expect(read != nil)
    #expect(read?.acceptedGaps == [names[0]] && read?.acceptedLosses == [names[0]])
  }
}
