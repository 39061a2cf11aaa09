import CFileChanges
import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

/// Another run of the same computer works while this one waits for the lock; and files come back
/// that were gone.
struct MeanwhileTests {
  /// The changes that this run was about to make.
  static let writing: [@Sendable (inout OpenNamespace) throws -> Void] = [
    { try $0.add(.of("w2")) }, { try $0.remove([RecordID(walletID: "w1")]) },
    { try $0.addSensitive(Array("x".utf8), topic: "nostr") },
    { try $0.setLabel("x", of: Keyring.blue.keyID) },
    { try $0.removeKeySlots([Keyring.spare.keyID]) }, { try $0.repair() },
    { try $0.repairKeySlots() },
  ]

  @Test
  func `Nothing is written any more where the master key was rotated meanwhile`() throws {
    let keys = try Keyring()
    var first = try keys.unlock(.blue)
    try first.add(.of("w1"))
    let old = try keys.folder("a").namespace()
    func open(_ purpose: OpenNamespace.Purpose) throws -> OpenNamespace {
      let key = try keys.slot(.blue, at: old.id).unwrap(secret: keys.bytes(.blue))
      return try old.follow(key, by: Keyring.blue.keyID, for: purpose).take()
    }
    var waiting = try open(.writing)
    var reading = try open(.reading)
    try keys.rotate(.blue, as: .newBlue)
    let new = try keys.folder("a").namespace().id
    let before = try Scene.contents(keys.scene.folder)
    for write in Self.writing {
      #expect(throws: BackupFolderError.cannotRotate(.moved(to: new))) { try write(&waiting) }
      #expect(throws: BackupFolderError.cannotRotate(.moved(to: new))) { try write(&reading) }
    }
    #expect(try Scene.contents(keys.scene.folder) == before)
    #expect(try waiting.restored().words == ["w1": "abandon about"])
  }

  /// Two runs add a wallet with one ID: each looks, then writes.
  @Test func `A decision sees what another run wrote since the backup was opened`() throws {
    let scene = try Scene()
    _ = try scene.create()
    let record = RecordID(walletID: "w1")
    var first = try scene.unlock()
    var second = try scene.unlock()
    func add(_ words: String, to open: inout OpenNamespace) throws -> Bool {
      try open.deciding(unchanged) { (open) throws in
        let isThere = try open.contains(record)
        if !isThere { try open.add(.of("w1", words: words)) }
        return !isThere
      }
    }
    #expect(try add("zoo zoo", to: &second))
    #expect(try !add("abandon about", to: &first))
    var reader = try scene.unlock("b")
    #expect(try reader.restored().lines == ["w1 zoo zoo current"])
  }

  @Test
  func `Nothing of this computer comes between a look and the writing, and the lock goes after`()
    throws
  {
    let scene = try Scene()
    var open = try scene.create()
    let state = try open.namespace.state(make: false)
    func isFree() -> Bool { (try? state.lock(patience: .zero)) != nil }
    try open.deciding(unchanged) { (open) throws in
      #expect(!isFree())
      try open.add(.of("w1"))
      #expect(!isFree())
      try open.add(.of("w2"))
    }
    #expect(isFree())
    struct Refusal: Error {}
    #expect(throws: Refusal.self) {
      try open.deciding(unchanged) { _ throws in throw Refusal() }
    }
    #expect(isFree())
    try open.add(.of("w3"))
    #expect(try scene.unlock("b").verified().counts[.current] == 3)
  }

  @Test func `What another computer writes after the look is not replaced`() throws {
    let scene = try Scene()
    var first = try scene.create()
    var second = try scene.unlock("b")
    try first.deciding(unchanged) { (first) throws in
      let isThere = try first.contains(RecordID(walletID: "w1"))
      #expect(!isThere)
      try second.add(.of("w1", words: "zoo zoo"))
      try first.add(.of("w1"))
    }
    var reader = try scene.unlock("c")
    #expect(
      try reader.restored().lines == ["w1 abandon about conflict", "w1 zoo zoo conflict"])
  }

  @Test
  func `A way in that was removed opens, and gets no successor`() throws {
    let keys = try Keyring()
    let id = try keys.folder("a").namespace().id
    let file =
      "\(keys.scene.folder)/cspp-namespaces/\(id)/keybackup/keys/\(Keyring.spare.keyID).json"
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    var open = try keys.unlock(.blue)
    try open.removeKeySlots([Keyring.spare.keyID])
    try bytes.write(to: URL(fileURLWithPath: file))
    let before = try Scene.contents(keys.scene.folder)
    // Computer b remembers nothing.
    #expect(throws: BackupFolderError.keySlotRemoved) {
      try keys.rotate(.spare, as: .newSpare, "b")
    }
    var other = try keys.unlock(.spare, "b")
    let next = Enrolment(
      label: "Spare key", kind: Keyring.Way.newSpare.enrolment.kind, replaces: Keyring.spare.keyID)
    let secret = keys.bytes(.newSpare)
    #expect(throws: BackupFolderError.keySlotRemoved) {
      try other.addReplacement(next, secret: secret)
    }
    #expect(throws: BackupFolderError.keySlotRemoved) {
      try other.addKeySlot(next, secret: secret, confirmedBy: secret)
    }
    #expect(try Scene.contents(keys.scene.folder) == before)
    // Nor in the next namespace, where it is unknown that it ever was one.
    let blue = try keys.rotate(.blue, as: .newBlue).take()
    let left = blue.pendingKeySlots(besides: Keyring.Way.newBlue.keyID)
    #expect(left.isEmpty)
  }

  /// Every sync fails in turn: the operation may be in the folder, but is not known to be durable.
  @Test func `A key slot whose operation is there keeps its file`() throws {
    let keys = try Keyring()
    try keys.scene.keep()
    var kept = 0
    var removed = 0
    for place in 0... {
      try keys.scene.reset()
      let before = try keys.keyFiles()
      let new = Keyring.Way.newSpare
      let outcome = FileChanges.failing(at: place, FILE_SYNCS, EIO, 1) {
        var open = try keys.unlock(.blue)
        try open.addKeySlot(new.enrolment, secret: keys.bytes(new), confirmedBy: keys.bytes(new))
      }
      guard let outcome else { break }
      guard case .failure = outcome else { continue }
      let isLogged = try keys.unlock(.blue, "c").has(new.keyID)
      #expect(try keys.keyFiles().subtracting(before).isEmpty == !isLogged, "sync \(place)")
      if isLogged { kept += 1 } else { removed += 1 }
    }
    #expect(kept > 0 && removed > 0, "\(kept) kept, \(removed) removed")
  }

  /// Nobody would read an operation with a larger number.
  @Test func `A clock from the end of time spoils nothing`() throws {
    let keys = try Keyring()
    var open = try keys.unlock(.blue)
    let last = UInt64(Int64.max)
    let run = try WritingRun.begin(open.namespace.state(make: true))
    let envelope = try #require(open.log.envelope?.file)
    try open.publish(at: last, run: run) {
      $0.keyLabel(Keyring.blue.keyID, label: "a")
      $0.envelope(file: envelope.span)
    }
    _ = consume run
    open = try keys.unlock(.blue)
    try open.setLabel("b", of: Keyring.blue.keyID)
    let new = Keyring.Way.newSpare
    try open.addKeySlot(new.enrolment, secret: keys.bytes(new), confirmedBy: keys.bytes(new))
    let read = try keys.unlock(.blue, "c")
    let isThere = read.has(new.keyID)
    #expect(read.logFindings.isEmpty && isThere)
    let label = try read.keySlots().first { $0.keyID == Keyring.blue.keyID }?.label
    #expect(label == "b")
    for logged in [nil, 0, last - 1, last, UInt64.max] {
      let next = read.time(after: logged)
      #expect(next <= last)
    }
    let next = read.time(after: 1_800_000_000)
    #expect(next == 1_800_000_001)
  }
}

private func unchanged(_ error: BackupFolderError) -> any Error { error }

extension Keyring {
  fileprivate func keyFiles() throws -> Set<String> {
    let id = try folder("a").namespace().id
    return Set(
      try FileManager.default.contentsOfDirectory(
        atPath: "\(scene.folder)/cspp-namespaces/\(id)/keybackup/keys"))
  }
}
