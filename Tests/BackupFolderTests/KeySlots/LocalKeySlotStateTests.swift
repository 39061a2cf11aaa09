import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

/// The files of key slots that a computer has confirmed.
struct LocalKeySlotStateTests {
  let scene: Scene
  let a = SpareKey(name: 0xA)
  let b = SpareKey(name: 0xB)

  init() throws { scene = try Scene(inMemory: true) }

  @Test func `Only what the log enrolled is known`() throws {
    let first = try scene.create(with: a)
    let second = try scene.add(b, openedWith: a)
    let planted = try plant(copyOf: second) { $0.replacing(second.hex, with: Self.other.hex) }
    #expect(planted == Self.other)
    for _ in 1...2 {
      let known = try scene.slots()
      #expect(known[first]?.isEnrolled == true && known[second]?.isEnrolled == true)
      #expect(known[planted]?.isEnrolled == nil)
      // With the log, it is known to be no key slot.
      let opened = try scene.open(with: b).keySlots()
      #expect(opened.first { $0.keyID == planted }?.isEnrolled == false)
      #expect(opened.count { $0.isEnrolled == true } == 2)
    }
    let elsewhere = try scene.slots("b")
    #expect(elsewhere.count == 3 && elsewhere.values.allSatisfy { $0.isEnrolled == nil })
  }

  /// Anyone can use an ID: the file's content decides.
  @Test func `Another file of an enrolled ID is not enrolled`() throws {
    _ = try scene.create(with: a)
    let second = try scene.add(b, openedWith: a)
    _ = try scene.open(with: b)
    #expect(try scene.slots()[second]?.provedAt != nil)
    let file = try scene.keysFolder + "/\(second).json"
    try plant(copyOf: second) { $0.replacing("\"CwAB\"", with: "\"AAAA\"") }
    try Data(contentsOf: URL(fileURLWithPath: try scene.keysFolder + "/0.json"))
      .write(to: URL(fileURLWithPath: file))
    try FileManager.default.removeItem(atPath: try scene.keysFolder + "/0.json")
    let changed = try #require(try scene.slots()[second])
    #expect(changed.credentialID == [0, 0, 0])
    #expect(changed.isEnrolled == nil && changed.provedAt == nil)
  }

  @Test func `What version010 wrote names ways by their ID`() throws {
    let made = LocalKeySlotState.grain * 1000
    let text = "keybackup-ways 1\nproved \(Self.other) \(made + 3)\nend\n"
    var localState = try #require(LocalKeySlotState(Array(text.utf8)))
    #expect(localState.enrolled == nil && localState.bytes == Array(text.utf8))
    // Version 0.1.0 noted the creation as a proof.
    #expect(localState.proof(of: Self.other, madeAt: made) == nil)
    #expect(localState.proof(of: Self.other, madeAt: made - LocalKeySlotState.grain) == made + 3)
    localState.enrolled = [Digest(of: [1, 2, 3].span)]
    #expect(localState.proof(of: Self.other, madeAt: made) == made + 3)
    #expect(LocalKeySlotState(localState.bytes) == localState)
    localState.enrolled = []
    #expect(LocalKeySlotState(localState.bytes) == localState)
  }

  /// After an update, the first run with the master key learns what is enrolled.
  @Test func `What version010 wrote is learnt anew`() throws {
    let first = try scene.create(with: a)
    let second = try scene.add(b, openedWith: a)
    let id = try #require(try scene.open().namespaces().first)
    let state = try scene.open().namespace(id).state(make: true)
    var older = LocalKeySlotState()
    older.proved = [second: 1_700_000_000]
    try state.save(older, of: id)
    // Anyone can use an ID: it confirms nothing.
    #expect(try scene.slots()[second]?.isEnrolled == nil)
    #expect(try scene.slots()[second]?.provedAt == nil)
    #expect(try scene.slots()[first]?.isEnrolled == nil)
    _ = try scene.open(with: a)
    #expect(try scene.slots()[first]?.provedAt == 1_700_000_000)
    #expect(try scene.slots()[second]?.provedAt == nil)
    #expect(try scene.slots().values.allSatisfy { $0.isEnrolled == true })
  }

  private static let other = KeyID(words: [0x0123_4567_89AB_CDEF, 1])

  /// Adds a copy of a key slot's file with a changed header.
  @discardableResult
  private func plant(copyOf key: KeyID, _ change: (String) -> String) throws -> KeyID {
    let file = try scene.keysFolder + "/\(key).json"
    var text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let protected = try #require(object["protected"] as? String)
    let wrapper = try KeyWrapper(parsing: Array(text.utf8).span, at: nil)
    let planted = change(try wrapper.header.json(recipient: wrapper.recipient))
    let encoded = Data(planted.utf8).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    text = text.replacing(protected, with: encoded)
    try Data(text.utf8).write(to: URL(fileURLWithPath: try scene.keysFolder + "/0.json"))
    return try KeyWrapper(parsing: Array(text.utf8).span, at: nil).header.keyID
  }
}
