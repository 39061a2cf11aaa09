import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

/// A folder of Tests/Vectors/cspp and its content.
private struct Vector: Decodable {
  struct Wallet: Decodable {
    var walletId: String
    var entryBase64: String?
  }
  var namespaceId: String
  var prfOutput: String
  var wallets: [Wallet]

  static func named(_ name: String) throws -> (Vector, String) {
    let vectors = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
        "Vectors/cspp")
    let data = try Data(contentsOf: vectors.appendingPathComponent(name + ".json"))
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return (
      try decoder.decode(Vector.self, from: data),
      vectors.appendingPathComponent(name).path
    )
  }
}

struct ForeignTests {
  private func unlock(_ scene: Scene, _ vector: Vector) throws -> OpenNamespace {
    let namespace = try scene.open().namespace()
    #expect(namespace.id.hex == vector.namespaceId)
    let scan = try namespace.scan()
    let slot = try #require(scan.keySlots.first)
    #expect(scan.keySlots.count == 1)
    #expect(slot.kind == .csppEnvelope)
    let prf = try #require(NamespaceDigits.bytes(vector.prfOutput))
    return try namespace.open(slot.unwrap(secret: scene.secret(prf)))
  }

  @Test(arguments: ["namespace-current", "namespace-legacy-layout"])
  func `Another program's namespace opens, every byte of every wallet`(_ name: String) throws {
    let (vector, path) = try Vector.named(name)
    let scene = try Scene()
    try scene.run("cp", "-a", path + "/.", scene.folder)
    let before = try Scene.contents(scene.folder)
    var open = try unlock(scene, vector)
    var found: [String: String] = [:]
    let report = open.forEachWallet { version, bytes in
      #expect(version.state == .foreign)
      found[version.entry.walletID] = Data(bytes.text.utf8).base64EncodedString()
    }
    #expect(report.restored == vector.wallets.count)
    #expect(report.failures == [])
    for wallet in vector.wallets {
      #expect(found[wallet.walletId] == wallet.entryBase64)
    }
    #expect(open.health.incomplete == 0)
    #expect(try Scene.contents(scene.folder) == before)
  }

  @Test(arguments: ["namespace-current", "namespace-legacy-layout"])
  func `Writing a wallet that another program wrote logs its version first`(_ name: String) throws {
    let (vector, path) = try Vector.named(name)
    let scene = try Scene()
    try scene.run("cp", "-a", path + "/.", scene.folder)
    var open = try unlock(scene, vector)
    let id = try #require(vector.wallets.first).walletId
    try open.add(.of(id, words: "zoo zoo"))
    #expect(open.health.operations == 2)
    let old = open.log.index.history(of: RecordID(walletID: id))
    #expect(old.count == 2)
    let restored = try open.restored()
    #expect(restored.lines.contains("\(id) zoo zoo current"))
    #expect(restored.lines.count == vector.wallets.count)
    #expect(restored.report.counts[.foreign] == vector.wallets.count - 1)
    try open.remove([RecordID(walletID: id)])
    #expect(try open.restored().lines.count == vector.wallets.count - 1)
  }

  @Test
  func `Another program's edit of our wallet is restored beside ours, and kept`() throws {
    let scene = try Scene()
    var open = try scene.create()
    try open.add(.of("w1", "w2"))
    try scene.overwrite("w1", Entry.text("w1", "edited words"), open.masterKey)
    let both = try open.restored()
    #expect(
      both.lines == [
        "w1 abandon about current", "w1 edited words foreign", "w2 abandon about current",
      ])
    #expect(both.report.counts[.foreign] == 1)
    #expect(both.report.counts.total == 2)
    let file = FileManager.default.contents(atPath: try scene.viewPath("w1"))
    try open.add(.of("w3"))
    #expect(FileManager.default.contents(atPath: try scene.viewPath("w1")) == file)
    try open.add(.of("w1", words: "third words"))
    #expect(open.log.index.history(of: RecordID(walletID: "w1")).count == 3)
    #expect(try open.restored().lines.contains("w1 third words current"))
    #expect(try open.restored().lines.count == 3)
  }
}

extension Scene {
  /// Writes a wallet's file as another CSPP program would.
  func overwrite(
    _ wallet: String, _ entry: String, _ masterKey: borrowing MasterKey
  ) throws {
    var cipher = WalletCipher(masterKey)
    let bytes = Array(entry.utf8)
    let plaintext = unsafe SecretBytes(copying: bytes.span.bytes)
    let sealed = try WalletEnvelope.seal(
      plaintext, entry: WalletEntry(parsing: plaintext), with: &cipher, createdAt: 1, updatedAt: 1)
    try Data(sealed).write(to: URL(fileURLWithPath: viewPath(wallet)))
  }
}

private enum NamespaceDigits {
  static func bytes(_ hex: String) -> [UInt8]? { Digest(hex: hex)?.bytes }
}
