import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

/// Changes that two computers make separately, and that a sync program then merges.
struct ConflictTests {
  private let record = RecordID(walletID: "w1")

  private func conflicted() throws -> Scene { try .conflicted(["w1", "w2"]) }

  private func versions(_ open: inout OpenNamespace) throws -> [String: WalletVersion] {
    var found: [String: WalletVersion] = [:]
    _ = try open.forEachWallet { version, bytes in
      guard version.recordID == record, let secret = try version.entry.secret(in: bytes) else {
        return
      }
      found[secret.text] = version
    }
    return found
  }

  /// A sync program leaves it beside the wallet's own file.
  @Test(arguments: [true, false])
  func `A conflict copy stays until a decision has made it superfluous`(_ keepsTheCopy: Bool) throws
  {
    let scene = try conflicted()
    var c = try scene.unlock("c")
    let own = try scene.viewPath("w1")
    let copy = own.replacingOccurrences(of: ".json", with: " (conflicted copy).json")
    try FileManager.default.copyItem(atPath: own, toPath: copy)
    try c.repair()
    #expect(FileManager.default.fileExists(atPath: copy))
    let found = try versions(&c)
    let chosen = found.values.first { version in
      if case .view = version.source { keepsTheCopy } else { !keepsTheCopy }
    }
    let isChange = try c.keep(try #require(chosen).id, of: record)
    #expect(isChange && c.viewProblem == nil)
    #expect(!FileManager.default.fileExists(atPath: copy))
    #expect(FileManager.default.fileExists(atPath: own))
    let left = try versions(&c)
    #expect(left.values.map(\.state) == [.current])
  }

  @Test(arguments: [true, false])
  func `Keeping one version of a conflict ends it on every computer`(_ first: Bool) throws {
    let scene = try conflicted()
    var c = try scene.unlock("c")
    let found = try versions(&c)
    #expect(Set(found.keys) == ["zoo zoo", "wrong wrong"])
    let words = first ? "zoo zoo" : "wrong wrong"
    let chosen = try #require(found[words])
    let source = c.origin(of: chosen)
    let origin = try #require(source)
    #expect(origin.label == (first ? "a" : "b"))
    #expect(origin.at == 1_700_000_000)
    let isChange = try c.keep(chosen.id, of: record)
    #expect(isChange)
    #expect(c.viewProblem == nil)
    for computer in ["a", "b", "c", "d"] {
      var any = try scene.unlock(computer)
      #expect(try any.restored().lines == ["w1 \(words) current", "w2 abandon about current"])
      #expect(any.health.forked + any.health.rolledBack + any.health.incomplete == 0)
      // Exactly the chosen bytes, as their first operation sealed them.
      let left = try versions(&any)
      #expect(left.mapValues(\.id) == [words: chosen.id])
      let again = any.origin(of: try #require(left[words]))
      #expect(again == origin)
    }
    let isAnother = try c.keep(chosen.id, of: record)
    #expect(!isAnother)
    let other = try #require(found[first ? "wrong wrong" : "zoo zoo"])
    do throws(BackupFolderError) {
      _ = try c.keep(other.id, of: record)
      Issue.record("a version that is superseded was kept")
    } catch {
      #expect(error == .noSuchVersion(record))
    }
  }

  @Test
  func `Another program's version and a conflict copy are offered, and can be kept`() throws {
    let scene = try Scene()
    var a = try scene.create("a")
    try a.add(.of("w1"))
    try scene.overwrite("w1", Entry.text("w1", "foreign words"), a.masterKey)
    let view = try scene.viewPath("w1")
    let copy = view.dropLast(5) + " (conflicted copy 2026-11-21).json"
    try FileManager.default.moveItem(atPath: view, toPath: String(copy))
    try scene.overwrite("w1", Entry.text("w1", "other words"), a.masterKey)
    let found = try versions(&a)
    #expect(Set(found.keys) == ["abandon about", "foreign words", "other words"])
    let chosen = try #require(found["foreign words"])
    let origin = a.origin(of: chosen)
    #expect(origin == nil)
    let isChange = try a.keep(chosen.id, of: record)
    #expect(isChange)
    // Nothing was lost: the log has all three.
    let log = a.log.index
    #expect(Set(log.history(of: record).map { log.versions[$0].value }).count == 3)
    #expect(try a.restored().lines == ["w1 foreign words current"])
    var b = try scene.unlock("b")
    #expect(try b.restored().lines == ["w1 foreign words current"])
  }

  @Test
  func `An edit that a removal did not know of survives it, and that is said`() throws {
    let scene = try Scene()
    var a = try scene.create("a")
    try a.add(.of("w1", "w2"))
    try scene.apart("b") { b in
      try b.add(.of("w1", words: "zoo zoo"))
    } meanwhile: {
      try a.remove([record, RecordID(walletID: "w2")])
    }
    var c = try scene.unlock("c")
    #expect(try c.restored().lines == ["w1 zoo zoo current"])
    #expect(c.keptAgainstRemoval == [record])
    // Either decision ends it.
    try c.add(.of("w1", words: "legal winner"))
    #expect(c.keptAgainstRemoval == [])
    try c.remove([record])
    #expect(c.keptAgainstRemoval == [])
    #expect(try c.restored().lines == [])
  }

  @Test
  func `The same wallet imported on two computers, with equal bytes, is no conflict`() throws {
    let scene = try Scene()
    var a = try scene.create("a")
    try a.add(.of("w1"))
    try scene.overwrite("w1", Entry.text("w1", "same words"), a.masterKey)
    try scene.apart("b") { b in
      let found = try versions(&b)
      let chosen = try #require(found["same words"])
      let isChange = try b.keep(chosen.id, of: record)
      #expect(isChange)
    } meanwhile: {
      let found = try versions(&a)
      let chosen = try #require(found["same words"])
      let isChange = try a.keep(chosen.id, of: record)
      #expect(isChange)
    }
    var c = try scene.unlock("c")
    #expect(try c.restored().lines == ["w1 same words current"])
  }

  @Test
  func `A removed wallet's file that a sync program brings back does not bring it back`() throws {
    let scene = try Scene()
    var a = try scene.create("a")
    try a.add(.of("w1", "w2"))
    let path = try scene.viewPath("w1")
    let old = try Data(contentsOf: URL(fileURLWithPath: path))
    try a.remove([record])
    #expect(!FileManager.default.fileExists(atPath: path))
    try old.write(to: URL(fileURLWithPath: path))
    var b = try scene.unlock("b")
    let seen = try b.restored()
    #expect(seen.lines == ["w2 abandon about current"])
    #expect(seen.report.stale == 1)
    try b.add(.of("w3"))
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test
  func `An older version of a wallet's file that is brought back is replaced`() throws {
    let scene = try Scene()
    var a = try scene.create("a")
    try a.add(.of("w1"))
    let path = try scene.viewPath("w1")
    let old = try Data(contentsOf: URL(fileURLWithPath: path))
    try a.add(.of("w1", words: "zoo zoo"))
    try old.write(to: URL(fileURLWithPath: path))
    var b = try scene.unlock("b")
    #expect(try b.restored().lines == ["w1 zoo zoo missing"])
    #expect(try b.restored().report.stale == 1)
    try b.repair()
    #expect(try b.restored().lines == ["w1 zoo zoo current"])
    #expect(try b.restored().report.stale == 0)
  }
}

extension Scene {
  /// A wallet "w1" to which "a" has given the words "zoo zoo" and "b" "wrong wrong".
  ///
  /// - Parameters:
  ///   - wallets: all wallets of the backup.
  ///   - work: runs in the folder before both sides are merged.
  /// - Returns: the scene.
  /// - Throws: the errors of the folder.
  static func conflicted(
    _ wallets: [String] = ["w1"], before work: (Scene) throws -> Void = { _ in }
  ) throws -> Scene {
    let scene = try Scene()
    var a = try scene.create("a")
    try a.add(.of(wallets))
    try scene.apart("b") { b in
      try b.add(.of("w1", words: "wrong wrong"))
    } meanwhile: {
      try a.add(.of("w1", words: "zoo zoo"))
      try work(scene)
    }
    return scene
  }

  /// Restores the state that the folder had before `work`.
  func undo(_ work: () throws -> Void) throws {
    let old = base + "/old"
    try FileManager.default.copyItem(atPath: folder, toPath: old)
    try work()
    try FileManager.default.removeItem(atPath: folder)
    try FileManager.default.moveItem(atPath: old, toPath: folder)
  }

  /// Lets `computer` work on a replica while others work on the folder, and then merges both.
  ///
  /// Of two files of one name, the replica's stays.
  func apart(
    _ computer: String, _ work: (inout OpenNamespace) throws -> Void,
    meanwhile: () throws -> Void
  ) throws {
    let other = base + "/replica-" + computer
    try FileManager.default.copyItem(atPath: folder, toPath: other)
    var open = try unlock(computer, other)
    try work(&open)
    try meanwhile()
    try run("cp", "-a", other + "/.", folder)
    try FileManager.default.removeItem(atPath: other)
  }
}
