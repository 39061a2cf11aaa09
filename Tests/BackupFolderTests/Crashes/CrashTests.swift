import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

/// Simulates a crash between any two writes.
///
/// The files of the finished state are put back one after the other, in the order of rule 3. Each
/// prefix is opened and then completed.
struct CrashTests {
  private func order(_ path: String) -> Int {
    if path.contains("/keybackup/keys/") { return 0 }
    if path.contains("/master-key/") { return 1 }
    return path.contains("/keybackup/log/") ? 2 : 3
  }

  private func replay(_ scene: Scene, _ files: [(key: String, value: Data)]) throws {
    try FileManager.default.removeItem(atPath: scene.folder)
    try FileManager.default.createDirectory(
      atPath: scene.folder, withIntermediateDirectories: false)
    for (name, data) in files {
      let url = URL(fileURLWithPath: scene.folder + "/" + name)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try data.write(to: url)
    }
  }

  @Test(arguments: 0...3)
  func `Init resumes after a crash between any two of its writes`(_ count: Int) throws {
    let scene = try Scene()
    let id = try scene.create().id
    let all = try Scene.contents(scene.folder).sorted { order($0.key) < order($1.key) }
    #expect(all.count == 3)
    try replay(scene, Array(all.prefix(count)))
    // The local state of this computer is written last.
    let state = try StateFolder(
      path: scene.settings().stateFolder, folder: Directory.open(path: scene.folder), make: true)
    var localState = LocalState()
    localState.creating = true
    try state.save(localState, of: id)
    if count == 0 {
      _ = try scene.create()
    } else {
      let namespace = try scene.open().namespace()
      // Its operation may be there, although it was never reported as done.
      #expect(try namespace.isUnfinishedHere)
      #expect(throws: BackupFolderError.namespaceExists([id])) { _ = try scene.create() }
      #expect(try !scene.open("b").namespace().isUnfinishedHere)
      let slot = try #require(try namespace.scan().keySlots.first)
      let open = try namespace.resumeCreation(slot, prfOutput: scene.secret())
      #expect(open.id == id)
    }
    #expect(try Scene.contents(scene.folder).count == 3)
    var second = try scene.unlock("b")
    #expect(second.health.operations == 1)
    try second.add(.of("w1"))
    #expect(second.verify().counts[.current] == 1)
    #expect(try !scene.open().namespace().isUnfinishedHere)
  }

  @Test
  func `Adding is completed by the next run after a crash between any two writes`() throws {
    let scene = try Scene()
    var first = try scene.create()
    try first.add(.of("w0"))
    let before = Set(try Scene.contents(scene.folder).keys)
    let old = try Scene.contents(scene.folder)
    try first.add(.of("w0", "w1", "w2", words: "zoo zoo"))
    let after = try Scene.contents(scene.folder)
    let changed = after.filter { old[$0.key] != $0.value }
      .sorted { (order($0.key), $0.key) < (order($1.key), $1.key) }
    #expect(changed.count == 4)
    #expect(before.count == 5)
    for count in 0...changed.count {
      var files = old
      for (name, data) in changed.prefix(count) { files[name] = data }
      try replay(scene, files.map { ($0.key, $0.value) })
      // A staged file such as the crashed run leaves.
      let wallets = try scene.namespacePath + "/wallets"
      let tag = try StateFolder(
        path: scene.settings().stateFolder, folder: Directory.open(path: scene.folder), make: true
      ).temporaryTag()
      let leftOver = "\(wallets)/.keybackup-tmp-\(tag)-0011223344556677"
      try Data("{\"version\":1".utf8).write(to: URL(fileURLWithPath: leftOver))
      var next = try scene.unlock("a\(count)")
      let words = count == 0 ? ["w0 abandon about"] : ["w0 zoo zoo", "w1 zoo zoo", "w2 zoo zoo"]
      let seen = try next.restored().lines.map {
        $0.split(separator: " ").dropLast().joined(separator: " ")
      }
      #expect(seen == words)
      var own = try scene.unlock("a")
      try own.repair()
      #expect(!FileManager.default.fileExists(atPath: leftOver))
      let report = try scene.unlock("b").verified()
      #expect(report.counts[.current] == words.count)
      #expect(report.counts.total == words.count)
      #expect(report.stale == 0)
    }
  }

  /// The number of an operation that was never published is used again.
  ///
  /// A clone may have written the staged file, so it is shown. Random histories found this one: it
  /// could neither be kept nor removed.
  @Test(arguments: [true, false])
  func `What a killed run staged is shown and decided on if its number is used again`(
    isKept: Bool
  ) throws {
    let scene = try Scene()
    var first = try scene.create()
    try first.add(.of("w0"))
    let files = FileManager.default
    let before = scene.base + "/before"
    for name in ["cloud", "state-a"] {
      try files.createDirectory(atPath: before, withIntermediateDirectories: true)
      try files.copyItem(atPath: "\(scene.base)/\(name)", toPath: "\(before)/\(name)")
    }
    try first.add(.of("w1"))
    let staged = try #require(files.contents(atPath: scene.viewPath("w1")))
    // Killed before it published anything: only the staged file is left.
    for name in ["cloud", "state-a"] {
      try files.removeItem(atPath: "\(scene.base)/\(name)")
      try files.copyItem(atPath: "\(before)/\(name)", toPath: "\(scene.base)/\(name)")
    }
    let tag = try StateFolder(
      path: scene.settings().stateFolder, folder: Directory.open(path: scene.folder), make: true
    ).temporaryTag()
    let leftOver = try scene.namespacePath + "/wallets/.keybackup-tmp-\(tag)-0011223344556677"
    var next = try scene.unlock()
    try next.add(.of("w2"))
    try staged.write(to: URL(fileURLWithPath: leftOver))
    next = try scene.unlock()
    let record = RecordID(walletID: "w1")
    var shown: VersionID?
    _ = next.forEachWallet { version, _ in
      if version.recordID == record { shown = version.id }
    }
    let version = try #require(shown)
    if isKept {
      #expect(try next.keep(version, of: record))
    } else {
      try next.remove([record])
    }
    for computer in ["a", "b"] {
      var reader = try scene.unlock(computer)
      let names = isKept ? ["w0", "w1", "w2"] : ["w0", "w2"]
      #expect(
        try reader.restored().lines == names.map { "\($0) abandon about current" }, "\(computer)")
    }
    #expect(!files.fileExists(atPath: leftOver))
  }

  /// An exchange puts the replaced file under the temporary name.
  ///
  /// After a crash at that moment, this may be the only copy of what a newer program wrote.
  @Test func `A newer program's record under a temporary name stays`() throws {
    let scene = try Scene()
    var namespace = try scene.create()
    let tag = try StateFolder(
      path: scene.settings().stateFolder, folder: Directory.open(path: scene.folder), make: true
    ).temporaryTag()
    let displaced = try scene.namespacePath + "/wallets/.keybackup-tmp-\(tag)-0011223344556677"
    try Data(#"{"version":3,"kind":"wallet"}"#.utf8).write(to: URL(fileURLWithPath: displaced))
    try namespace.repair()
    #expect(FileManager.default.fileExists(atPath: displaced))
  }

  /// Another computer's wallet file may come before its operation.
  ///
  /// A run that could not give it back its name left it aside.
  @Test func `Another computer's version that was moved aside stays until its operation is here`()
    throws
  {
    let scene = try Scene()
    var namespace = try scene.create()
    let copy = scene.base + "/copy"
    try FileManager.default.copyItem(atPath: scene.folder, toPath: copy)
    var other = try scene.unlock("b", copy)
    try other.add(.of("w1"))
    let name = "wallet-\(RecordID(walletID: "w1")).json"
    let path = try scene.namespacePath
    let wallets = copy + path.dropFirst(scene.folder.count) + "/wallets"
    let tag = try StateFolder(
      path: scene.settings().stateFolder, folder: Directory.open(path: scene.folder), make: true
    ).temporaryTag()
    let aside = "\(path)/wallets/.keybackup-tmp-\(tag)-gone-0011223344556677"
    try FileManager.default.copyItem(atPath: "\(wallets)/\(name)", toPath: aside)
    for _ in 1...2 {
      try namespace.repair()
      #expect(FileManager.default.fileExists(atPath: aside))
      var reader = try scene.unlock("c")
      #expect(try reader.restored().words == ["w1": "abandon about"])
    }
  }

  /// A run that writes a lost key slot's file again may displace another file, and end before that one
  /// is back.
  @Test func `A file that was displaced beside the key slots stays, and the log's own goes`() throws
  {
    let scene = try Scene()
    var namespace = try scene.create()
    let tag = try StateFolder(
      path: scene.settings().stateFolder, folder: Directory.open(path: scene.folder), make: true
    ).temporaryTag()
    let other = try Scene()
    _ = try other.create()
    func keyFile(_ scene: Scene) throws -> Data {
      let keys = try scene.namespacePath + "/keybackup/keys"
      let name = try #require(try FileManager.default.contentsOfDirectory(atPath: keys).first)
      return try Data(contentsOf: URL(fileURLWithPath: "\(keys)/\(name)"))
    }
    let own = try keyFile(scene)
    let keys = try scene.namespacePath + "/keybackup/keys"
    let stays = ["gone-1": try keyFile(other)]
    let goes = ["gone-2": own, "gone-3": own.prefix(40), "4": own.prefix(40)]
    for (name, bytes) in stays.merging(goes, uniquingKeysWith: { $1 }) {
      try bytes.write(to: URL(fileURLWithPath: "\(keys)/.keybackup-tmp-\(tag)-\(name)"))
    }
    for _ in 1...2 {
      try namespace.repair()
      let left = try FileManager.default.contentsOfDirectory(atPath: keys)
        .filter { $0.hasPrefix(".keybackup-tmp-") }
      #expect(left == [".keybackup-tmp-\(tag)-gone-1"])
    }
  }
}

extension OpenNamespace {
  consuming func verified() -> WalletReport {
    var open = self
    return open.verify()
  }
}
