import BackupFolder
import CSPP
import SecretMemory
import TestSupport

/// Computers, their replicas of one folder, the synchronisation between them, and all conditions
/// that must hold.
final class World {
  static let wallets = ["wallet-a", "wallet-b", "wallet-c"]

  let base: String
  let archive: Archive
  let engine: SyncEngine
  let namespace: NamespaceID
  private(set) var computers: [Computer] = []
  /// The user's only key slot.
  let slot: KeyID
  var oracle = Oracle()
  /// The events, one line each.
  private(set) var trace: [String] = []
  /// The violated conditions.
  private(set) var violations: [String] = []
  /// Whether somebody restored or removed files that had been seen.
  var isAttacked = false
  /// The operations whose copy must stay because the original was removed somewhere, and those
  /// whose original must stay.
  ///
  /// Each keeps at least one file, wherever the rest is.
  var keptCopies: Set<String> = []
  var keptOriginals: Set<String> = []
  /// Whether somebody without a key added files.
  var isPlanted = false
  /// Whether one computer was cloned into two.
  var isCloned = false
  /// Decides the actions of users who read a report.
  var generator: SeededGenerator
  /// The number of runs of the program so far.
  var runs = 0
  /// The act that the current run reports as done.
  var pendingAct: Int?

  /// Begins with one computer that has a backup.
  ///
  /// - Parameters:
  ///   - seed: determines the number of computers and the behaviour of their sync program.
  ///   - others: the number of computers besides the first; nil for 1 to 3.
  /// - Throws: the errors of the folder.
  init(seed: UInt64, others: Int? = nil) throws(BackupFolderError) {
    generator = SeededGenerator(seed: seed)
    base = Disk.makeTemporaryFolder()
    let first = Computer(
      name: "A", replica: Replica(folder: "\(base)/replica-A"), state: "\(base)/state-A")
    let created = try first.folder(time: 0).create(
      SecurityKey.enrolment, prfOutput: SecurityKey.prfOutput(),
      confirmedBy: SecurityKey.prfOutput())
    namespace = created.id
    let slot = try first.folder(time: 0).namespace().scan().keySlots.first
    guard let slot, let keyID = slot.keyID else { fatalError("no way in") }
    self.slot = keyID
    archive = Archive(try slot.unwrap(secret: SecurityKey.prfOutput()))
    let names = ConflictNames.allCases.randomElement(using: &generator)
    let archive = archive
    engine = SyncEngine(
      names: Bool.random(using: &generator) ? names : nil, archive.content)
    engine.add(first.replica)
    computers = [first]
    let count = Int.random(in: 1...3, using: &generator)
    for name in ["B", "C", "D"].prefix(others ?? count) {
      let replica = Replica(folder: "\(base)/replica-\(name)")
      engine.add(replica)
      computers.append(Computer(name: name, replica: replica, state: "\(base)/state-\(name)"))
    }
    engine.collect(first.replica)
    first.seen = Set(truth(of: first).operations.keys)
    // Some computers begin before everything has arrived.
    for computer in computers where Int.random(in: 0..<4, using: &generator) > 0 {
      while !computer.replica.pending.isEmpty {
        engine.deliverSome(to: computer.replica, using: &generator)
      }
    }
    log("\(computers.count) computers, conflict copies: \(names.map { "\($0)" } ?? "none")")
  }

  deinit { Disk.remove(base) }

  /// Opens the key slot of the user's key; added slots are not tried.
  func unlock(_ namespace: Namespace) throws(BackupFolderError) -> OpenNamespace? {
    for found in try namespace.scan().keySlots {
      guard let key = try? found.unwrap(secret: SecurityKey.prfOutput()) else { continue }
      return try namespace.open(key, by: found.keyID)
    }
    return nil
  }

  func log(_ line: String) { trace.append(line) }

  func violate(_ what: String) {
    violations.append(what)
    log("VIOLATION: \(what)")
  }

  func truth(of computer: Computer) -> Truth { Truth(computer.replica.files) }

  /// Clones a computer.
  func clone(_ computer: Computer) {
    isCloned = true
    let name = computer.name + "'"
    let copy = computer.clone(
      name: name, folder: "\(base)/replica-\(name)", state: "\(base)/state-\(name)")
    engine.add(copy.replica)
    computers.append(copy)
    log("\(computer.name) is cloned")
  }

  /// Lets another CSPP program write a wallet's file.
  func foreignEdit(at computer: Computer, using generator: inout SeededGenerator) {
    let wallet = World.wallets.randomElement(using: &generator) ?? ""
    let record = RecordID(walletID: wallet)
    let path = FolderLayout.wallet(record, in: namespace)
    let words = "foreign\(engine.tick())"
    var mark: WalletEntry.Mark?
    if case .wallet(let entry) = computer.replica.files[path]?.meaning,
      Bool.random(using: &generator)
    {
      mark = entry.mark
    } else if computer.replica.files[path] == nil, Int.random(in: 0..<4, using: &generator) > 0 {
      return
    }
    oracle.foreign.insert(words)
    let sealed = archive.seal(wallet: wallet, words: words, mark: mark)
    Disk.write(sealed, to: "\(computer.replica.folder)/\(path)")
    engine.collect(computer.replica)
    log("another program at \(computer.name): \(wallet) = \(words)\(mark == nil ? "" : ", marked")")
  }
}

extension LoggedOperation {
  /// A short name for the trace.
  var shortName: String { "\(reference.writerID.hex.prefix(4)).\(reference.counter)" }
}
