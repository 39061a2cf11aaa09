import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP

@Suite("Two rotations of the master key at once, with files")
struct RivalRotationsWithFilesTests {
  private let files: RotatedFiles
  private var scene: Scene { files.scene }
  private var node: SilentComputer

  init() throws {
    files = try RotatedFiles()
    node = try SilentComputer(files.scene)
  }

  @Test
  func `Two computers rotate at once, and all files are there`() throws {
    var node = node
    try node.write("one")
    _ = try scene.unlock("b")
    var made: [NamespaceID] = []
    try scene.apart {
      made.append(try files.rotate("a", as: 6).namespace.id)
    } and: {
      let other = try files.rotate("b", as: 7).namespace.id
      made.append(other)
      var open = try files.open(other, "b")
      try open.write("of b", "b-file")
      try node.authoriseAgain(&open)
      try node.write("two")
    }
    let keys = try made.map { SharedMasterKey(try files.key(of: $0)) }
    for computer in ["a", "c"] {
      var resolved = try scene.open(computer).namespace(files.old)
        .follow(files.key(of: files.old), keys: keys)
      #expect(resolved.obstacle == nil)
      resolved.remember()
      for _ in 0..<2 {
        let found = try resolved.namespace.counting()
        #expect(found["node/channel.backup"] == ["two"], "\(found)")
        #expect(found["b/b-file"] == ["of b"], "\(found)")
        try resolved.namespace.mergeRivals()
      }
    }
  }

  @Test
  func `Opened where the backup is in charge, the other rotation's files are there too`() throws {
    _ = try scene.unlock("b")
    var made: [NamespaceID] = []
    func rotateAlone(_ computer: String, _ number: UInt8) throws {
      let new = try files.rotate(computer, as: number).namespace.id
      made.append(new)
      var open = try files.open(new, computer)
      try open.write("of \(computer)", "\(computer)-file")
    }
    try scene.apart {
      try rotateAlone("a", 6)
    } and: {
      try rotateAlone("b", 7)
    }
    let keys = try made.map { SharedMasterKey(try files.key(of: $0)) }
    // The lowest ID is in charge: nothing leads from there to the other one but its key.
    let inCharge = try #require(made.min())
    let resolved = try scene.open("c").namespace(inCharge)
      .follow(files.key(of: inCharge), keys: keys)
    #expect(resolved.namespace.id == inCharge && resolved.obstacle == nil)
    let found = try resolved.namespace.counting()
    #expect(found == ["a/a-file": ["of a"], "b/b-file": ["of b"]])
  }

  @Test
  func `Two computers rotate at once, and each authorises one and retires another`() throws {
    try node.write("one")
    _ = try scene.unlock("b")
    var made: [NamespaceID] = []
    func rotateAlone(_ computer: String, _ number: UInt8, _ added: String) throws {
      let new = try files.rotate(computer, as: number).namespace.id
      made.append(new)
      var open = try files.open(new, computer)
      let request = try scene.open(added).requestSilentWriting(label: .of(added))
      _ = try open.authorise(WriterRequest(parsing: request.line), may: [.filePut])
      try open.retire(node.writer.signingKey)
    }
    try scene.apart {
      try rotateAlone("a", 6, "x")
    } and: {
      try rotateAlone("b", 7, "y")
    }
    let keys = try made.map { SharedMasterKey(try files.key(of: $0)) }
    for computer in ["a", "c"] {
      var resolved = try scene.open(computer).namespace(files.old)
        .follow(files.key(of: files.old), keys: keys)
      resolved.remember()
      try resolved.namespace.mergeRivals()
      let writers = resolved.namespace.silentWriters()
      #expect(writers.map(\.writer.label.text).sorted() == ["node", "x", "y"])
      #expect(writers.filter(\.isRetired).map(\.writer.label.text) == ["node"])
      #expect(try resolved.namespace.counting() == ["node/channel.backup": ["one"]])
    }
  }

  @Test
  func `A removed file that two rotations had in two versions keeps no earlier backup`() throws {
    // The older version has to lie in the rotation that gives way: the lowest ID is in charge.
    var isOlderBehind = false
    while !isOlderBehind {
      let files = try RotatedFiles()
      let node = try SilentComputer(files.scene)
      _ = try files.scene.unlock("b")
      var made: [NamespaceID] = []
      try files.scene.apart {
        made.append(try files.rotate("a", as: 6).namespace.id)
      } and: {
        try node.write("one")
        made.append(try files.rotate("b", as: 7).namespace.id)
        try node.write("two")
      }
      isOlderBehind = made[0] < made[1]
      let keys = try made.map { SharedMasterKey(try files.key(of: $0)) }
      var resolved = try files.scene.open("a").namespace(files.old)
        .follow(files.key(of: files.old), keys: keys)
      try resolved.namespace.mergeRivals()
      #expect(try resolved.namespace.counting() == ["node/channel.backup": ["two"]])
      let file = try #require(try resolved.namespace.files().first)
      #expect(resolved.namespace.filesOnlyEarlier.isEmpty == false)
      try resolved.namespace.removeFile(file.id)
      #expect(resolved.namespace.filesOnlyEarlier.isEmpty)
    }
  }
}
