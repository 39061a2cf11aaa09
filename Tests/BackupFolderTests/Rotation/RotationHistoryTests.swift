import CFileChanges
import CSPP
import Foundation
import SecretMemory
import TestSupport
import Testing

@testable import BackupFolder

/// Random histories of computers that rotate the master key.
///
/// Each computer has its own key; a spare key lies in a safe. Files are synchronised late and in
/// any order. These rules of the design's model must hold, whatever somebody writes who has a
/// master key that was given up:
///
/// - No acknowledged wallet is lost, unless that version was known when it was replaced.
/// - All computers end with the same wallets.
/// - Nothing is called rolled back or forked.
/// - The spare key, whose only file is in the first namespace, reaches everything.
struct RotationHistoryTests {
  /// The number of histories; KEYBACKUP_TEST_HISTORIES=1000 plays more of them.
  private static let count =
    ProcessInfo.processInfo.environment["KEYBACKUP_TEST_HISTORIES"].flatMap { Int($0) } ?? 12

  @Test
  func `Random rotations lose nothing, and everybody gets there`() throws {
    var rotations = 0
    for number in 0..<UInt64(Self.count) {
      let history = try RotationHistory(seed: TestSeed.value &+ number)
      do {
        try history.play()
      } catch {
        history.problems.append("\(error)")
      }
      rotations += history.rotations
      let story = history.trace.joined(separator: "\n")
      #expect(history.problems == [], "seed \(TestSeed.value &+ number)\n\(story)")
      if !history.problems.isEmpty { break }
    }
    print("rotations: \(Self.count) histories from seed \(TestSeed.value), \(rotations) rotations")
  }
}

/// One history.
private final class RotationHistory {
  private struct Put {
    let record: String
    /// The new words; nil for a removal.
    let words: String?
    /// The versions of the record that were shown there.
    let known: Set<String>
    var isDone = false
  }

  private static let wallets = ["a", "b"]
  private let base: String
  private var generator: SeededGenerator
  private let computers: Int
  private var puts: [Put] = []
  private var time: UInt64 = 1_700_000_000
  private(set) var rotations = 0
  private(set) var trace: [String] = []
  var problems: [String] = []
  private var spare: Int { computers }
  private var first: NamespaceID?
  /// Whether somebody wrote with a master key that was given up.
  private var isRobbed = false

  init(seed: UInt64) throws {
    generator = SeededGenerator(seed: seed)
    computers = Int.random(in: 2...3, using: &generator)
    let localState = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : "/tmp"
    base = "\(localState)/keybackup-rotations-\(UUID().uuidString)"
    for place in 0...computers {
      try FileManager.default.createDirectory(
        atPath: folder(place), withIntermediateDirectories: true)
    }
    var open = try backup(0).create(
      enrolment(0), prfOutput: output(0, salt(0)), confirmedBy: output(0, salt(0)))
    first = open.id
    for place in 1...spare {
      let secret = output(place, salt(place))
      try open.addKeySlot(enrolment(place), secret: secret, confirmedBy: secret)
    }
    for place in 1..<computers { try deliver(from: 0, to: place, all: true) }
  }

  deinit { try? FileManager.default.removeItem(atPath: base) }

  // MARK: Keys and folders

  private func folder(_ computer: Int) -> String { "\(base)/replica-\(computer)" }

  private func backup(_ computer: Int) throws -> BackupFolder {
    time += 1
    let now = time
    var settings = BackupFolder.Settings(
      stateFolder: "\(base)/state-\(computer)", writerLabel: "\(computer)", clock: { now })
    settings.operationSize = 300
    return try BackupFolder.open(path: folder(computer), settings: settings)
  }

  private func salt(_ key: Int) -> [UInt8] { [UInt8](repeating: UInt8(key + 1), count: 32) }

  private func output(_ key: Int, _ salt: [UInt8]) -> SecretBytes {
    let bytes = CSPP.Digest(of: ([UInt8(key)] + salt).span).bytes
    return unsafe SecretBytes(copying: bytes.span.bytes)
  }

  private func enrolment(_ key: Int, _ salt: [UInt8]? = nil, _ id: KeyID = .random()) -> Enrolment {
    Enrolment(
      label: "\(key)",
      securityKey: KeyHeader.SecurityKey(
        rpID: "keybackup:", credentialID: [UInt8(key)], discoverable: true,
        aaguid: [UInt8](repeating: 9, count: 16), prfSalt: salt ?? self.salt(key)),
      keyID: id)
  }

  // MARK: The program

  private struct Opened: ~Copyable {
    var followed: ResolvedNamespace
    let slot: KeySlot
    let slots: [KeySlotSecret]
  }

  /// Opens everything that a key opens, as the command does; the user compares when asked.
  private func open(_ computer: Int, with key: Int) throws -> Opened? {
    let folder = try backup(computer)
    var found: [KeySlot] = []
    for id in try folder.openable() {
      guard let scan = try? folder.namespace(id).scan() else { continue }
      found += scan.keySlots.filter { $0.credentialID == [UInt8(key)] && $0.keyID != nil }
    }
    var secrets: [KeySlotSecret] = []
    var keys: [SharedMasterKey] = []
    var first: KeySlot?
    for slot in found {
      let secret = output(key, slot.prfSalt)
      guard let master = try? slot.unwrap(secret: secret), let id = slot.keyID else { continue }
      keys.append(SharedMasterKey(master))
      secrets.append(KeySlotSecret(id, secret))
      first = first ?? slot
    }
    guard let first, let start = keys.first else { return nil }
    var compared: NamespaceID?
    while true {
      var followed = try folder.namespace(first.namespaceID).follow(
        start.copy(), by: first.keyID, slots: secrets, keys: keys, compared: compared)
      if case .uncompared(let id) = followed.obstacle, compared != id {
        compared = id
        continue
      }
      followed.remember()
      return Opened(followed: followed, slot: first, slots: secrets)
    }
  }

  private func shown(_ open: inout OpenNamespace) -> [String: Set<String>] {
    var found: [String: Set<String>] = [:]
    _ = open.forEachWallet { version, bytes in
      guard let secret = try? version.entry.secret(in: bytes) else { return }
      found[version.entry.walletID, default: []].insert(secret.text)
    }
    return found
  }

  /// One run of the program.
  private func run(_ computer: Int, _ act: String, crashAt change: Int? = nil) {
    if let change { file_changes_begin(change) }
    var line = ""
    var done: Int?
    do {
      line = try perform(computer, act, &done)
    } catch {
      line = "\(error)"
      if change == nil, !isAwaited(error) { problems.append("\(computer) \(act): \(error)") }
    }
    let killed = change != nil && file_changes_crashed() != 0
    if change != nil { _ = file_changes_end() }
    if !killed, let done { puts[done].isDone = true }
    trace.append("\(computer) \(act)\(killed ? " KILLED at \(change ?? 0)" : ""): \(line)")
  }

  /// Whether the error means that a file has not arrived yet.
  private func isAwaited(_ error: any Error) -> Bool {
    switch error as? BackupFolderError {
    case .incomplete, .cannotRotate(.notWhole), .cannotRotate(.filesMissing),
      .cannotRotate(.unfinished):
      true
    default: false
    }
  }

  private func perform(_ computer: Int, _ act: String, _ done: inout Int?) throws -> String {
    guard var opened = try open(computer, with: computer) else { return "opens nothing yet" }
    let health = opened.followed.namespace.health
    if file_changes_crashed() == 0, health.rolledBack + health.forked > 0 {
      problems.append("\(computer): false alarm, \(health)")
    }
    let place = opened.followed.namespace.id.hex.prefix(4)
    if opened.followed.isSuperseded { return "only read: \(place)" }
    _ = try opened.followed.namespace.mergeRivals()
    _ = try opened.followed.namespace.discardOvertaken()
    if opened.slot.namespaceID != opened.followed.namespace.id,
      let secret = opened.slots.first(where: { $0.keyID == opened.slot.keyID })
    {
      _ = try opened.followed.namespace.admit(opened.slot, secret)
    }
    switch act {
    case "rotate":
      // A rotation after the theft takes the old log as it stands.
      if isRobbed, opened.followed.namespace.id == first { return "not any more" }
      return try rotate(computer, opened)
    case "heal": try opened.followed.namespace.repair()
    case "look": _ = shown(&opened.followed.namespace)
    case "remove":
      let record = RecordID(walletID: "a")
      guard let known = shown(&opened.followed.namespace)["a"] else { return "nothing to remove" }
      puts.append(Put(record: "a", words: nil, known: known))
      try opened.followed.namespace.remove([record])
      return "a in \(place), known \(known.sorted())"
    default:
      let words = "words\(puts.count)"
      let known = shown(&opened.followed.namespace)[act] ?? []
      puts.append(Put(record: act, words: words, known: known))
      try opened.followed.namespace.add(.of(act, words: words))
      done = puts.count - 1
      return "\(words) in \(place), known \(known.sorted())"
    }
    return "in \(place)"
  }

  private func rotate(_ computer: Int, _ opened: consuming Opened) throws -> String {
    let old = opened.followed.namespace.id
    let atHand = opened.slot.keyID ?? .random()
    let folder = try backup(computer)
    let unfinished = try folder.namespace(old).unfinishedRotation()
    let slot = (try? unfinished?.scan())??.keySlots.first { $0.credentialID == [UInt8(computer)] }
    let salt = slot?.prfSalt ?? Randomness.bytes(count: 32)
    var open = opened.followed.take()
    let rotation = try open.rotateMasterKey(
      to: enrolment(computer, salt, slot?.keyID ?? .random()), secret: output(computer, salt),
      atHand: atHand)
    rotations += 1
    return "\(old.hex.prefix(4)) -> \(rotation.namespace.id.hex.prefix(4)), \(rotation.versions) "
      + "versions, \(rotation.left.count) boxes\(rotation.isResumed ? ", resumed" : "")"
  }

  /// Removes everything from the old log once the first master key was given up, as a thief of that
  /// key can.
  private func rob(at computer: Int) throws {
    let folder = try BackupFolder.open(
      path: folder(computer),
      settings: BackupFolder.Settings(
        stateFolder: "\(base)/state-thief-\(computer)", writerLabel: "thief",
        clock: { 1_700_000_000 }))
    guard let namespace = try? folder.namespace(first),
      let slot = try namespace.scan().keySlots.first(where: {
        $0.credentialID == [0] && $0.prfSalt == salt(0)
      }), let key = try? slot.unwrap(secret: output(0, salt(0)))
    else { return }
    var open = try namespace.open(key, by: slot.keyID)
    if open.log.links.successors.isEmpty { return }
    let live = Self.wallets.map { RecordID(walletID: $0) }.filter {
      !open.log.index.live($0).isEmpty && !open.log.index.unreachable($0).hasOthers
    }
    if live.isEmpty { return }
    isRobbed = true
    try open.remove(live)
    trace.append("a thief removes \(live.count) wallets from the old log at \(computer)")
  }

  // MARK: The world

  /// Brings files from one replica to another: only what is written once; every computer makes
  /// its own view.
  private func deliver(from: Int, to: Int, all: Bool = false) throws {
    let source = folder(from)
    for name in try FileManager.default.subpathsOfDirectory(atPath: source).sorted()
    where name.hasSuffix(".json") && !name.contains("/wallets/") && !name.contains(".keybackup-tmp")
    {
      let target = "\(folder(to))/\(name)"
      if FileManager.default.fileExists(atPath: target) { continue }
      if !all, Int.random(in: 0..<3, using: &generator) == 0 { continue }
      try FileManager.default.createDirectory(
        atPath: (target as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: "\(source)/\(name)", toPath: target)
    }
  }

  private func deliverAll() throws {
    for from in 0..<computers {
      for to in 0..<computers where from != to { try deliver(from: from, to: to, all: true) }
    }
  }

  func play() throws {
    for _ in 0..<Int.random(in: 5...16, using: &generator) {
      let computer = Int.random(in: 0..<computers, using: &generator)
      let crash =
        Int.random(in: 0..<5, using: &generator) == 0
        ? Int.random(in: 0..<160, using: &generator) : nil
      switch Int.random(in: 0..<100, using: &generator) {
      case ..<35:
        let from = Int.random(in: 0..<computers, using: &generator)
        if from != computer { try deliver(from: from, to: computer) }
        trace.append("\(computer) gets some of \(from)'s files")
      case ..<70:
        run(computer, Self.wallets.randomElement(using: &generator) ?? "a", crashAt: crash)
      case ..<72: run(computer, "look")
      case ..<77: run(computer, "remove", crashAt: crash)
      case ..<95: run(computer, "rotate", crashAt: crash)
      case ..<97: run(computer, "heal", crashAt: crash)
      default: try rob(at: computer)
      }
      if !problems.isEmpty { return }
    }
    try finish()
  }

  private func finish() throws {
    for _ in 0..<4 {
      try deliverAll()
      for computer in 0..<computers { run(computer, "heal") }
    }
    try deliverAll()
    var dead: Set<String> = []
    for put in puts { dead.formUnion(put.known) }
    let live = Set(puts.filter(\.isDone).compactMap(\.words)).subtracting(dead)
    var all: Set<String>?
    var ends: Set<NamespaceID> = []
    for (computer, key) in (0..<computers).map({ ($0, $0) }) + [(0, spare)] {
      guard var opened = try open(computer, with: key) else {
        problems.append("key \(key) opens nothing")
        continue
      }
      let words = Set(shown(&opened.followed.namespace).values.flatMap { $0 })
      if !live.isSubset(of: words) {
        problems.append("key \(key) at \(computer) lost \(live.subtracting(words).sorted())")
      }
      if let all, all != words {
        problems.append("key \(key) shows \(words.sorted()), another \(all.sorted())")
      }
      all = all ?? words
      ends.insert(opened.followed.namespace.id)
      if let obstacle = opened.followed.obstacle { problems.append("key \(key): \(obstacle)") }
      let health = opened.followed.namespace.health
      if health.incomplete > 0 { problems.append("key \(key): incomplete in the end") }
    }
    if ends.count != 1 { problems.append("they end in \(ends.map(\.hex).sorted())") }
  }
}
