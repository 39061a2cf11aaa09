import Foundation
import TestSupport
import Testing

@testable import BackupFolder
@testable import CSPP

/// A folder on which one command runs again and again, each time from the same start and with
/// another end.
final class InterruptedScene {
  /// One command, and the changes that it makes.
  struct Change: Sendable, CustomTestStringConvertible {
    let name: String
    /// The arguments for `folder-probe`.
    let verb: [String]
    /// The commands for `folder-probe` that make the folder's earlier content; none: nothing at
    /// all.
    var before: [[String]] = [["init"]]
    /// Wallets and their words, before and after.
    var old: [String: String] = [:]
    var new: [String: String] = [:]
    /// Files and the beginnings of their live versions, before and after.
    var oldFiles: [String: String] = [:]
    var newFiles: [String: String] = [:]
    /// The number of objects at the end; nil: it is not looked at.
    var objects: Int?
    /// A wallet whose view file is missing before the command.
    var lost: String?
    /// Whether this runs on a file system where one call can sync all files.
    var onDisk = false
    /// The number of key slots at the end, each of which opens; at least one always does.
    var keySlots = 1
    /// The command to run after the first one has been run again.
    var after: [String]?

    var testDescription: String { name }
  }

  let scene: Scene
  let change: Change
  private let kept: String
  private var checks = 0

  /// Prepares the start.
  init(_ change: Change) throws {
    self.change = change
    scene = try Scene(inMemory: !change.onDisk)
    kept = scene.base + "/kept"
    for words in change.before { try prepare(words) }
    if let lost = change.lost {
      try FileManager.default.removeItem(atPath: scene.viewPath(lost))
    }
    try FileManager.default.createDirectory(
      atPath: scene.settings().stateFolder, withIntermediateDirectories: true)
    try FileManager.default.createDirectory(atPath: kept, withIntermediateDirectories: false)
    for name in ["cloud", "state-a"] {
      try FileManager.default.copyItem(atPath: "\(scene.base)/\(name)", toPath: "\(kept)/\(name)")
    }
  }

  private func prepare(_ words: [String]) throws {
    switch words[0] {
    case "other":
      try Self.expectDone(probe(Array(words.dropFirst()), computer: "b"))
    case "conflict":
      // Another computer adds a wallet; neither has seen the other's change.
      let other = scene.base + "/other"
      try FileManager.default.copyItem(atPath: scene.folder, toPath: other)
      try Self.expectDone(probe(["add", words[1]]))
      try Self.expectDone(probe(["add", words[2]], folder: other, computer: "b"))
      try bringLogs(from: other)
    default: try Self.expectDone(probe(words))
    }
  }

  /// Copies the log files that another copy of the folder has and this one has not.
  private func bringLogs(from other: String) throws {
    let (from, to) = ("\(other)/cspp-namespaces", "\(scene.folder)/cspp-namespaces")
    for name in try FileManager.default.subpathsOfDirectory(atPath: from)
    where name.contains("/log/") && !FileManager.default.fileExists(atPath: "\(to)/\(name)") {
      try FileManager.default.copyItem(atPath: "\(from)/\(name)", toPath: "\(to)/\(name)")
    }
  }

  /// Runs a command while the folder is as at the start, then brings back what is newer.
  ///
  /// A sync program does that to a folder that was set back on one computer.
  func setBack(while words: [String]) throws {
    let newer = scene.base + "/newer"
    try? FileManager.default.removeItem(atPath: newer)
    try FileManager.default.moveItem(atPath: scene.folder, toPath: newer)
    try FileManager.default.copyItem(atPath: kept + "/cloud", toPath: scene.folder)
    try Self.expectDone(probe(words))
    try bringLogs(from: newer)
  }

  private static func expectDone(_ program: FinishedProgram) {
    #expect(program.code == 0, "\(program.output)")
  }

  /// Restores the start.
  func reset() throws {
    for name in ["cloud", "state-a", "state-b"] {
      try? FileManager.default.removeItem(atPath: "\(scene.base)/\(name)")
    }
    for name in ["cloud", "state-a"] {
      try FileManager.default.copyItem(atPath: "\(kept)/\(name)", toPath: "\(scene.base)/\(name)")
    }
  }

  /// Runs the command, under `crash-at` with some options.
  func run(_ options: [String]) throws -> FinishedProgram {
    try probe(
      change.verb,
      [BuiltProduct.path("crash-at"), "--under", scene.folder, "--under", scene.base + "/state-a"]
        + options + ["--"])
  }

  private func probe(
    _ words: [String], _ wrapper: [String] = [], folder: String? = nil, computer: String = "a"
  ) throws -> FinishedProgram {
    let places = [folder ?? scene.folder, "\(scene.base)/state-\(computer)"]
    return try FinishedProgram(wrapper + [BuiltProduct.path("folder-probe")] + places + words)
  }

  /// The calls that count, one a line, of a run without interruption.
  func calls(_ options: [String] = []) throws -> [String] {
    try reset()
    let report = scene.base + "/calls"
    Self.expectDone(try run(options + ["--report", report]))
    let text = String(
      decoding: FileManager.default.contents(atPath: report) ?? Data(), as: UTF8.self)
    return text.split(separator: "\n").map(String.init).dropLast()
  }

  // MARK: What has to be true

  /// Checks the state that an interrupted run has left, lets the next run heal it, and checks the
  /// result.
  ///
  /// - Parameters:
  ///   - place: where it was interrupted, for messages.
  ///   - done: whether the command said that it had done its work.
  /// - Throws: the reason why it cannot be checked.
  func check(_ place: String, done: Bool) throws {
    checks += 1
    let point: Comment = "\(change.name), \(place)"
    let isThere = try !scene.open().namespaces().isEmpty
    if change.before.isEmpty {
      if done { #expect(isThere, point) }
      // Both computers agree on what to do next.
      #expect(try scene.open("b").vanishedNamespaces().isEmpty, point)
      #expect(try scene.open("a").vanishedNamespaces().isEmpty, point)
    } else {
      #expect(isThere, point)
      try expectProvenKeySlot(point)
      try expectWhole("b", done: done, point)
      try expectWhole("a", done: done, point)
      if checks % 16 == 1 { try expectReadByAnother(point) }
    }
    // The next run of the same command, and of the command after it.
    let again = try probe(change.verb)
    if change.verb[0] == "remove" {
      #expect(again.code == 0 || again.output.contains("noSuchWallet"), point)
    } else if change.before.isEmpty {
      // The first run may have been complete, and killed before it could report it.
      #expect(again.code == 0 || again.output.contains("namespaceExists"), point)
    } else {
      #expect(again.code == 0, "\(change.name), \(place): \(again.output)")
    }
    if let after = change.after {
      let last = try probe(after)
      #expect(last.code == 0, "\(change.name), \(place): \(last.output)")
    }
    var own = try scene.unlock("a")
    try own.repair()
    #expect(try own.restored().words == change.new, point)
    try expectHealthy(own.health, point)
    try? FileManager.default.removeItem(atPath: scene.base + "/state-b")
    var other = try scene.unlock("b")
    let restored = try other.restored()
    #expect(restored.words == change.new, point)
    let files = try other.liveFiles()
    #expect(files == change.newFiles, "\(change.name), \(place): \(files)")
    if let objects = change.objects {
      let left = try FileManager.default.contentsOfDirectory(
        atPath: scene.namespacePath + "/keybackup/objects")
      #expect(left.count == objects, "\(change.name), \(place): \(left)")
      // Nothing that is still listed is gone.
      let versions = try other.files().flatMap(\.versions)
      #expect(versions.count == objects && versions.allSatisfy { $0.object == .here }, point)
    }
    #expect(restored.report.counts[.current] == change.new.count, point)
    #expect(restored.report.counts.total == change.new.count, point)
    #expect(restored.report.stale == 0, point)
    try expectHealthy(other.health, point)
    if isThere || change.keySlots > 1 { try expectKeySlots(change.keySlots, point) }
    let left = try temporaryFiles()
    #expect(left == [], point)
  }

  /// Checks that everything old is there, and that everything new is there whole or not at all.
  ///
  /// Nothing may be called damaged, lost or rolled back.
  private func expectWhole(_ computer: String, done: Bool, _ place: Comment) throws {
    var open = try scene.unlock(computer)
    let restored = try open.restored()
    let words = restored.words
    let files = try open.liveFiles()
    let isWhole = files == change.newFiles || (!done && files == change.oldFiles)
    #expect(isWhole, "\(place) \(computer): \(files)")
    #expect(open.sealedFindings == [], place)
    #expect(words == change.new || (!done && words == change.old), "\(place) \(computer): \(words)")
    for state in [WalletState.current, .missing] where restored.report.counts[state] > 0 {
      #expect(restored.report.counts.total >= words.count)
    }
    var fine = restored.report.counts[.current] + restored.report.counts[.missing]
    if !change.old.values.allSatisfy({ !$0.contains("|") }) {
      fine += restored.report.counts[.conflict]
    }
    #expect(restored.report.counts.total == fine, "\(place) \(computer): \(restored)")
    #expect(restored.report.findings == [], place)
    #expect(open.logFindings == [], place)
    try expectHealthy(open.health, place)
    let structure = try scene.open(computer).namespace().checkStructure()
    #expect(structure.wallets.findings == [], place)
    try expectHealthy(structure.health, place)
  }

  /// Every key slot that counts opens, and so does the CSPP envelope.
  private func expectProvenKeySlot(_ place: Comment) throws {
    let namespace = try scene.open("b").namespace()
    let slots = try namespace.scan().keySlots
    #expect(!slots.isEmpty, place)
    for slot in slots {
      #expect((try? slot.unwrap(secret: scene.secret())) != nil, place)
      #expect(slot.damagedFiles(secret: scene.secret()) == [], place)
    }
    #expect(slots.contains { $0.hasEnvelope }, place)
  }

  private func expectKeySlots(_ count: Int, _ place: Comment) throws {
    try expectProvenKeySlot(place)
    let slots = try scene.open("b").namespace().scan().keySlots
    #expect(slots.count == count, "\(place): \(slots.map { $0.files })")
    let owner = slots.first { $0.hasEnvelope }
    #expect(owner?.hasWrapper == true, "\(place): the envelope belongs to no enrolled key")
  }

  private func expectHealthy(_ health: LogHealth, _ place: Comment) throws {
    #expect(health.rolledBack == 0, place)
    #expect(health.forked == 0, place)
    #expect(health.incomplete == 0, place)
  }

  /// The reader in Python, which shares no code with this one.
  private func expectReadByAnother(_ place: Comment) throws {
    let repository = #filePath.split(separator: "/").dropLast(4).reduce("") { $0 + "/" + $1 }
    let python = repository + "/.build-python/bin/python"
    let read = try FinishedProgram([
      python, repository + "/Tests/reader/cspp_reader.py", scene.folder, "--prf-output",
      String(repeating: "07", count: 32),
    ])
    #expect(read.code == 0, "\(place): \(read.output)")
  }

  /// The temporary files of this program, in all places.
  func temporaryFiles() throws -> [String] {
    try ["cloud", "state-a", "state-b"].flatMap { name in
      try FileManager.default.subpathsOfDirectory(atPath: "\(scene.base)/\(name)").filter {
        $0.contains(".keybackup-tmp-")
      }
    }
  }
}

extension OpenNamespace {
  /// The beginnings of the live versions of all files, by name; removed ones are left out.
  func liveFiles() throws -> [String: String] {
    var found: [String: String] = [:]
    for file in try files() where !file.isRemoved {
      let texts = try file.live.map { String(try text($0).prefix(10)) }.sorted()
      found[file.newest?.name.text ?? "", default: ""] += texts.joined(separator: " | ")
    }
    return found
  }
}

extension Restored {
  /// Wallets and their words.
  var words: [String: String] {
    var words: [String: String] = [:]
    for line in lines {
      let parts = line.split(separator: " ")
      let text = parts[1..<(parts.count - 1)].joined(separator: " ")
      // Two versions of one wallet never equal a single one.
      words[String(parts[0]), default: ""] += words[String(parts[0])] == nil ? text : " | " + text
    }
    return words
  }
}
