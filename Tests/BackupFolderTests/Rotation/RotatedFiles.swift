import Foundation
import TestSupport
import Testing

@testable import BackupFolder
@testable import CSPP

/// A backup with files whose master key is rotated.
struct RotatedFiles {
  let scene: Scene
  /// The first namespace.
  let old: NamespaceID

  init() throws {
    scene = try Scene(inMemory: true)
    old = try scene.create("a").id
  }

  /// The key slot of a rotation.
  static func enrolment(_ number: UInt8) -> Enrolment {
    Enrolment(
      label: "Blue key",
      securityKey: KeyHeader.SecurityKey(
        rpID: "keybackup:", credentialID: [1, 2, 3], discoverable: true,
        aaguid: [UInt8](repeating: 9, count: 16),
        prfSalt: [UInt8](repeating: number, count: 32)),
      keyID: KeyID(words: [UInt64(number), 1]))
  }

  @discardableResult
  func rotate(
    _ computer: String = "a", at id: NamespaceID? = nil, as number: UInt8 = 6,
    despiteGaps: Bool = false
  ) throws -> Rotation {
    let namespace = try scene.open(computer).namespace(id)
    let slot = try #require(try namespace.scan().keySlots.first)
    var open = try namespace.open(slot.unwrap(secret: scene.secret()), by: slot.keyID)
    return try open.rotateMasterKey(
      to: Self.enrolment(number), secret: scene.secret(), atHand: try #require(slot.keyID),
      despiteGaps: despiteGaps)
  }

  func open(_ id: NamespaceID, _ computer: String = "b") throws -> OpenNamespace {
    let namespace = try scene.open(computer).namespace(id)
    let slot = try #require(try namespace.scan().keySlots.first)
    return try namespace.open(slot.unwrap(secret: scene.secret()), by: slot.keyID)
  }

  func key(of id: NamespaceID) throws -> MasterKey {
    try #require(try scene.open("b").namespace(id).scan().keySlots.first)
      .unwrap(secret: scene.secret())
  }

  func path(_ id: NamespaceID) -> String { "\(scene.folder)/cspp-namespaces/\(id)" }

  func delete(_ id: NamespaceID) throws {
    try FileManager.default.removeItem(atPath: path(id))
  }
}

extension RotatedFiles {
  /// Compares what counts with what a reader in Python finds that shares no code with this one.
  func expectSameElsewhere(
    _ open: borrowing OpenNamespace, at location: SourceLocation = #_sourceLocation
  ) throws {
    let repository = #filePath.split(separator: "/").dropLast(4).reduce("") { $0 + "/" + $1 }
    let read = try FinishedProgram([
      repository + "/.build-python/bin/python", repository + "/Tests/reader/files_reader.py",
      scene.folder, "--prf-output", String(repeating: "07", count: 32),
    ])
    try #require(read.code == 0, "\(read.output)", sourceLocation: location)
    let json = try JSONSerialization.jsonObject(with: Data(read.output.utf8)) as? [String: Any]
    #expect(json?["namespace_id"] as? String == open.id.hex, sourceLocation: location)
    var theirs: Set<String> = []
    for (id, versions) in json?["files"] as? [String: [[String: Any]]] ?? [:] {
      for version in versions {
        let contents = (version["contents"] as? String).flatMap { Data(base64Encoded: $0) }
        let isHeld = version["held_back"] as? Bool == true
        let standing = isHeld ? "held-back" : version["late"] as? Bool == true ? "late" : "live"
        let text = String(decoding: try #require(contents), as: UTF8.self)
        theirs.insert("\(id) \(version["made"] ?? "") \(version["name"] ?? "") \(standing) \(text)")
      }
    }
    var ours: Set<String> = []
    for file in try open.files() {
      for version in file.versions
      where [.live, .late, .heldBack].contains(version.standing) {
        ours.insert(
          "\(file.id) \(version.made) \(version.name.text) \(version.standing.rawValue) "
            + "\(try open.text(version))")
      }
    }
    #expect(ours == theirs, sourceLocation: location)
    #expect(!ours.isEmpty, sourceLocation: location)
  }
}

extension OpenNamespace {
  /// The texts of the live and late versions of all files, by `computer/name`.
  func counting() throws -> [String: [String]] {
    var found: [String: [String]] = [:]
    for file in try files() {
      for version in file.versions where version.standing == .live || version.standing == .late {
        let place = "\(version.label?.text ?? "-")/\(version.name.text)"
        found[place, default: []].append(try text(version))
      }
    }
    return found.mapValues { $0.sorted() }
  }
}

extension SilentComputer {
  /// Asks again with its key, for the namespace that is in charge now.
  mutating func authoriseAgain(_ open: inout OpenNamespace) throws {
    let request = try scene.open(computer)
      .requestSilentWriting(label: .of(computer), continuing: writer)
    let answer = try open.authorise(
      WriterRequest(parsing: request.line), may: [.filePut, .fileRemove, .put])
    writer = try scene.open(computer).acceptSilentWriting(answer.answer)
  }
}

extension LocalSilentWriter {
  /// Its ID and key.
  var identity: SilentWriter.Identity {
    SilentWriter.Identity(writerID: writerID, signingKey: signingKey)
  }
}
