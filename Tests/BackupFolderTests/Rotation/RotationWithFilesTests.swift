import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP

@Suite("A rotation of the master key with files")
struct RotationWithFilesTests {
  private let scene: Scene

  init() throws {
    scene = try Scene(inMemory: true)
    _ = try scene.create("a")
  }

  private func rotate() throws {
    var open = try scene.unlock("a")
    let slot = try #require(try scene.open("a").namespace().scan().keySlots.first?.keyID)
    let next = Enrolment(
      label: "Blue key",
      securityKey: KeyHeader.SecurityKey(
        rpID: "keybackup:", credentialID: [1, 2, 3], discoverable: true,
        aaguid: [UInt8](repeating: 9, count: 16), prfSalt: [UInt8](repeating: 6, count: 32)))
    _ = try open.rotateMasterKey(to: next, secret: scene.secret(), atHand: slot)
  }

  @Test(arguments: [true, false])
  func `It is refused, and leaves everything as it is`(_ isSilent: Bool) throws {
    if isSilent {
      _ = try SilentComputer(scene)
    } else {
      var open = try scene.unlock("a")
      try open.write("one", "f")
    }
    let before = try Scene.contents(scene.folder)
    #expect(throws: BackupFolderError.cannotRotate(.hasFiles)) { try rotate() }
    #expect(try Scene.contents(scene.folder) == before)
  }

  @Test
  func `Without files it works as before`() throws {
    try rotate()
    #expect(try scene.open("a").namespaces().count == 2)
  }
}
