import CSPP
import Foundation
import TestSupport
import Testing

@testable import BackupFolder

/// Earlier namespaces that were deleted as told: what leads on stays.
@Suite struct DeletedEarlierTests {
  /// A new computer opens whatever namespace its key is asked for first.
  @Test func `Each of them leads to the one in charge`() throws {
    let keys = try Keyring()
    var open = try keys.unlock(.blue)
    try open.add(.of("w1"))
    var ids = [open.id]
    for (from, to) in [(Keyring.Way.blue, Keyring.Way.newBlue), (.newBlue, .newerBlue)] {
      open = try keys.unlock(from, at: ids[ids.count - 1])
      try keys.rotate(open: &open, from, as: to)
      ids.append(
        try #require(try keys.folder("a").namespaces().first { !ids.contains($0) }))
    }
    open = try keys.follow(.newerBlue, at: ids[2], "a").take()
    #expect(open.earlierNamespaces.count == 2)
    for spent in open.earlierNamespaces {
      let folder = "\(keys.scene.folder)/cspp-namespaces/\(spent.id)"
      for file in try FileManager.default.subpathsOfDirectory(atPath: folder) {
        let path = "\(folder)/\(file)"
        let isFolder = (try? FileManager.default.contentsOfDirectory(atPath: path)) != nil
        let stays = file.hasPrefix(SpentNamespace.keys) || spent.operations.contains(file)
        if !isFolder, !stays { try FileManager.default.removeItem(atPath: path) }
      }
    }
    let ways: [Keyring.Way] = [.blue, .newBlue, .newerBlue]
    for (number, way) in ways.enumerated() {
      let start = try keys.folder("new\(number)").namespace(ids[number])
      let key = try keys.slot(way, at: ids[number], "new\(number)").unwrap(secret: keys.bytes(way))
      // Where it leads, the key is asked once more.
      if number < 2 {
        let alone = try start.follow(key.copy(), by: way.keyID, slots: [keys.secret(way)])
        guard case .noKey = alone.obstacle else {
          Issue.record("from \(number): \(String(describing: alone.obstacle))")
          continue
        }
      }
      // The key is asked for its slot of each namespace on the way.
      let all = try zip(ways, ids).map { way, id in
        SharedMasterKey(
          try keys.slot(way, at: id, "new\(number)").unwrap(secret: keys.bytes(way)))
      }
      var found = try start.follow(
        key, by: way.keyID, slots: ways.map(keys.secret), keys: all, compared: nil)
      #expect(found.namespace.id == ids[2] && found.obstacle == nil, "from \(number)")
      #expect(!found.isSuperseded && found.unreadRival == nil, "from \(number)")
      #expect(try found.namespace.restored().words.keys.sorted() == ["w1"], "from \(number)")
    }
  }
}
