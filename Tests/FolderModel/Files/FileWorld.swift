import BackupFolder
import CSPP
import SecretMemory
import TestSupport

/// Computers with and without the key that back files up to one shared folder.
final class FileWorld {
  static let names = ["channel", "notes"]

  let base: String
  let kind: History.Kind
  let engine: SyncEngine
  var machines: [Machine] = []
  var oracle = FileOracle()
  var generator: SeededGenerator
  private(set) var trace: [String] = []
  private(set) var violations: [String] = []
  /// The number of runs of the program.
  var runs = 0
  /// The namespaces that were in charge, the first one first.
  var namespaces: [NamespaceID] = []
  /// Whether somebody without authority wrote, so that warnings are in order.
  var isAttacked = false
  /// Whether somebody who is, or was, a silent writer published what others cannot complete.
  var hasThief = false
  /// Objects and operations that somebody destroyed, by the digits in their names.
  var destroyed: Set<Substring> = []
  private var texts = 0

  /// Begins with a backup, computers with the key and without.
  init(_ kind: History.Kind, seed: UInt64) throws(BackupFolderError) {
    self.kind = kind
    generator = SeededGenerator(seed: seed)
    base = Disk.makeTemporaryFolder()
    let names = ConflictNames.allCases.randomElement(using: &generator)
    var contents: [[UInt8]: Content] = [:]
    engine = SyncEngine(names: Bool.random(using: &generator) ? names : nil) { bytes in
      if let known = contents[bytes] { return known }
      let content = Content(bytes, .other)
      contents[bytes] = content
      return content
    }
    let first = add("A", .keyed)
    if Bool.random(using: &generator) { add("B", .keyed) }
    add("S", .silent)
    if Bool.random(using: &generator) { add("T", .silent) }
    let created = try first.computer.folder(time: 0).create(
      SecurityKey.enrolment, prfOutput: SecurityKey.prfOutput(),
      confirmedBy: SecurityKey.prfOutput())
    namespaces = [created.id]
    _ = consume created
    engine.collect(first.replica)
    for machine in machines where machine.role == .silent { authorise(machine, by: first) }
    // Some begin before everything has arrived; a silent writer needs the folder at least.
    for machine in machines where machine.role == .silent || Bool.random(using: &generator) {
      while !machine.replica.pending.isEmpty {
        engine.deliverSome(to: machine.replica, using: &generator)
      }
    }
    log("\(machines.map(\.name).joined(separator: " "))")
  }

  deinit { Disk.remove(base) }

  @discardableResult
  private func add(_ name: String, _ role: Machine.Role) -> Machine {
    let replica = Replica(folder: "\(base)/replica-\(name)")
    let machine = Machine(
      Computer(name: name, replica: replica, state: "\(base)/state-\(name)"), role)
    include(machine)
    return machine
  }

  /// Takes in a computer whose folder is synchronised.
  func include(_ machine: Machine) {
    engine.add(machine.replica)
    machines.append(machine)
  }

  var keyed: [Machine] { machines.filter { $0.role == .keyed } }

  func log(_ line: String) { trace.append(line) }

  func violate(_ what: String) {
    violations.append(what)
    log("VIOLATION: \(what)")
  }

  /// The computer's folder now, by its own clock.
  func folder(_ machine: Machine) throws(BackupFolderError) -> BackupFolder {
    try machine.computer.folder(time: engine.tick() + machine.clock)
  }

  /// A text that nobody wrote before.
  func newText() -> String {
    texts += 1
    let size = ["", "", "M", "L"].randomElement(using: &generator) ?? ""
    return note("v\(texts)\(size)")
  }

  func newWords() -> String {
    texts += 1
    return "words\(texts)"
  }

  private func note(_ text: String) -> String {
    oracle.texts[FileTexts.digest(text)] = text
    return text
  }

  /// Runs a program until its end or its crash, and gives its files to the sync program.
  ///
  /// - Parameters:
  ///   - machine: where it runs.
  ///   - what: what it does, for the trace.
  ///   - change: the file change before which it is killed; nil: none.
  ///   - body: the program; returns a word for the trace.
  func play(
    _ machine: Machine, _ what: String, crashAt change: Int?,
    _ body: () throws(BackupFolderError) -> String
  ) {
    runs += 1
    let acts = oracle.acts.count
    let before = Set(machine.replica.versions.keys)
    let (line, killed) = Crash.at(change) { () -> String in
      do throws(BackupFolderError) {
        return try body()
      } catch {
        if !Crash.hasHappened { judge(error, at: machine, what) }
        return "\(error)"
      }
    }
    engine.collect(machine.replica)
    let new = machine.replica.versions.keys.filter { !before.contains($0) }
      .compactMap { FilePath.operation($0) }
    for act in oracle.acts.indices.dropFirst(acts) {
      oracle.acts[act].operations = Set(new)
      if killed { oracle.acts[act].isAcknowledged = false }
    }
    log("\(machine.name) \(what)\(killed ? " KILLED at \(change ?? 0)" : ""): \(line)")
  }

  /// Errors that a person sees while files are still on their way, or because of what they asked.
  private func judge(_ error: BackupFolderError, at machine: Machine, _ what: String) {
    switch error {
    case .incomplete, .cannotRotate, .silentWriter: return
    case .file(.historyIncomplete), .file(.contentsMissing), .file(.contentsIncomplete): return
    case .file(.noSuchFile), .file(.noSuchVersion), .file(.lateContentsDamaged): return
    // Of the first namespace nothing may have arrived there.
    case .noNamespace where machine.role == .former: return
    case .file(.contentsDamaged) where !destroyed.isEmpty: return
    default: violate("\(machine.name) \(what) failed: \(error)")
    }
  }
}
