import BackupFolder
import CSPP
import SecretMemory
import TestSupport

/// Computers, their replicas of one folder and the synchronisation between
/// them, with everything that has to hold.
final class World {
  static let wallets = ["wallet-a", "wallet-b", "wallet-c"]

  let base: String
  let archive: Archive
  let engine: SyncEngine
  let namespace: NamespaceID
  private(set) var computers: [Computer] = []
  /// The one key slot that a person has.
  let slot: KeyID
  var oracle = Oracle()
  /// What happened, a line each.
  private(set) var trace: [String] = []
  /// What should not have.
  private(set) var violations: [String] = []
  /// Whether somebody put back or took away files that had been seen.
  var isAttacked = false
  /// Operations whose original was taken away somewhere, and those of which a copy was: of each
  /// one file stays, wherever the rest has got to.
  var keptCopies: Set<String> = []
  var keptOriginals: Set<String> = []
  /// Whether files were put there by somebody without a key.
  var isPlanted = false
  /// Whether two computers began as one.
  var isCloned = false
  /// Decides what users do who read a report.
  var generator: SeededGenerator
  /// Runs of the program so far.
  var runs = 0
  /// The act that the present run says is done.
  var pendingAct: Int?

  /// Begins with one computer that has a backup.
  ///
  /// - Parameters:
  ///   - seed: decides how many computers there are, and what their sync program is like.
  ///   - others: computers beside the first; nil: 1 to 3.
  /// - Throws: what the folder throws.
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
    engine = SyncEngine(
      archive: archive, names: Bool.random(using: &generator) ? names : nil)
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
    // Some begin before everything is there.
    for computer in computers where Int.random(in: 0..<4, using: &generator) > 0 {
      while !computer.replica.pending.isEmpty {
        engine.deliverSome(to: computer.replica, using: &generator)
      }
    }
    log("\(computers.count) computers, conflict copies: \(names.map { "\($0)" } ?? "none")")
  }

  deinit { Disk.remove(base) }

  /// The key slot by the person's key; what was planted beside it is not asked.
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

  /// Makes a second computer of one.
  func clone(_ computer: Computer) {
    isCloned = true
    let name = computer.name + "'"
    let copy = computer.clone(
      name: name, folder: "\(base)/replica-\(name)", state: "\(base)/state-\(name)")
    engine.add(copy.replica)
    computers.append(copy)
    log("\(computer.name) is cloned")
  }

  /// Another CSPP program writes a wallet's file.
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
  /// For the trace.
  var shortName: String { "\(reference.writerID.hex.prefix(4)).\(reference.counter)" }
}
