import BackupFolder
import CSPP
import SecretMemory

/// A user's request to the program.
enum Act: Equatable {
  case put(String)
  case remove(String)
  /// Resolves a conflict.
  case keep(String)
  case look
  case repair
}

extension World {
  /// Runs the program once on a computer, until its end or its crash.
  ///
  /// - Parameters:
  ///   - computer: the computer.
  ///   - act: the request.
  ///   - change: the file change before which the program is killed.
  func run(_ computer: Computer, _ act: Act, crashAt change: Int? = nil) {
    runs += 1
    let before = truth(of: computer)
    let (line, killed) = Crash.at(change) { () -> String in
      do throws(BackupFolderError) {
        return try perform(act, on: computer, before)
      } catch {
        return failed(error, on: computer, before)
      }
    }
    engine.collect(computer.replica)
    if !killed, let act = pendingAct { acknowledge(act) }
    pendingAct = nil
    let written = truth(of: computer).operations.keys.filter { before.operations[$0] == nil }
    if killed {
      computer.perhapsSeen.formUnion(written)
    } else {
      computer.seen.formUnion(written)
    }
    checkNothingDestroyed(before, at: computer)
    log("\(computer.name) \(act)\(killed ? " KILLED at \(change ?? 0)" : ""): \(line)")
  }

  /// - Returns: a word for the trace.
  private func perform(
    _ act: Act, on computer: Computer, _ truth: Truth
  ) throws(BackupFolderError) -> String {
    let expected = Expectation(truth, computer)
    let folder = try computer.folder(time: engine.tick())
    let namespace = try folder.namespace(self.namespace)
    // These checks need no key.
    let structure = try namespace.checkStructure()
    check(
      structure.health, structure.wallets.findings, expected, at: computer, withKey: false)
    guard var open = try unlock(namespace) else { return "no way in" }
    if let slots = try? open.allKeySlots() { check(slots, at: computer) }
    check(open.health, open.logFindings, expected, at: computer, withKey: true)
    opened(truth, computer)
    if open.health.rolledBack > 0 {
      // A copy that has not arrived looks like a loss; the user waits, as the message advises.
      if Bool.random(using: &generator) || isPlanted { return "stops: rolled back" }
      try namespace.accept(namespace.acceptance())
      accepted(truth, expected, computer)
      guard let again = try unlock(namespace) else { return "no way in any more" }
      open = again
    }
    let shown = look(&open, truth)
    // The program writes nothing while the beginning of the backup is not here.
    if act != .look, open.missingStart != nil || !open.isRotationFinished {
      return "stops: the beginning is missing"
    }
    try write(act, on: computer, &open, shown, truth)
    if let problem = open.viewProblem, !Crash.hasHappened, !isAttacked {
      violate("the view could not be written: \(problem)")
    }
    return "\(truth.operations.count) operations"
  }

  /// Records the operations that the program remembers from now on.
  private func opened(_ truth: Truth, _ computer: Computer) {
    let present = Set(truth.operations.keys)
    if Crash.hasHappened {
      computer.perhapsSeen.formUnion(present)
    } else {
      computer.seen.formUnion(present)
      computer.perhapsSeen.subtract(present)
    }
  }

  /// Records the operations that the program has given up.
  private func accepted(_ truth: Truth, _ expected: Expectation, _ computer: Computer) {
    let gone = expected.lost.subtracting(expected.damaged)
    computer.seen.subtract(gone)
    computer.hasAccepted = true
    if Crash.hasHappened {
      computer.perhapsSeen.formUnion(gone)
    } else {
      computer.perhapsSeen.formIntersection(truth.operations.keys)
    }
  }

  /// Reads the versions and compares them with the expected ones.
  private func look(_ open: inout OpenNamespace, _ truth: Truth) -> Shown {
    var shown = Shown()
    _ = open.forEachWallet { version, bytes in
      shown.add(version, words: version.entry.words(in: bytes), bytes)
    }
    check(shown, truth)
    return shown
  }

  private func write(
    _ act: Act, on computer: Computer, _ open: inout OpenNamespace, _ shown: Shown, _ truth: Truth
  ) throws(BackupFolderError) {
    switch act {
    case .look: break
    case .repair: try open.repair()
    case .put(let wallet):
      let words = "words\(engine.tick())"
      begin(.put, wallet, words, shown, truth)
      try open.add(batch(WalletText.entry(wallet, words: words)))
      isDone()
    case .remove(let wallet):
      let record = RecordID(walletID: wallet)
      // Files that a killed run staged are shown until the next run removes them.
      let isStaged = truth.views.allSatisfy { path, entry in
        entry.record != record || path.contains("/.keybackup-tmp-")
      }
      guard shown.versions[record] != nil, !isStaged || truth.live()[record]?.isEmpty == false
      else { return }
      begin(.remove, wallet, "", shown, truth)
      try open.remove([record])
      isDone()
    case .keep(let wallet):
      let versions = shown.versions[RecordID(walletID: wallet)] ?? [:]
      guard versions.count > 1, let chosen = versions.max(by: { $0.key < $1.key }) else { return }
      begin(.keep, wallet, chosen.key, shown, truth)
      try open.add(batch(chosen.value))
      isDone()
    }
  }

  private func batch(_ entry: [UInt8]) throws(BackupFolderError) -> WalletBatch {
    var batch = WalletBatch()
    try unsafe batch.append(entry.span.bytes)
    return batch
  }

  private func begin(
    _ kind: Oracle.Act.Kind, _ wallet: String, _ words: String, _ shown: Shown, _ truth: Truth
  ) {
    let record = RecordID(walletID: wallet)
    let whole = truth.whole
    var superseded: Set<String> = []
    for digest in whole {
      for change in truth.operations[digest]?.changes ?? [] where change.record == record {
        if let entry = change.entry { superseded.insert(entry.words) }
      }
    }
    let logged = truth.puts.values.filter { $0.record == record }.map(\.words)
    let known = Set(logged).union(shown.versions[record, default: [:]].keys)
    switch kind {
    // The shown versions were removed, or decided against.
    case .remove, .keep: superseded = known
    // Versions that no log has are logged before they are overwritten.
    case .put: superseded.formUnion(known.subtracting(logged))
    }
    superseded.remove(words)
    oracle.acts.append(
      Oracle.Act(
        kind: kind, record: record, words: words, known: known, superseded: superseded))
    log("  \(wallet) = \(words)")
  }

  /// Records that the program reports success, which nobody receives if it was killed.
  private func isDone() {
    pendingAct = Crash.hasHappened ? nil : oracle.acts.count - 1
  }

  private func acknowledge(_ act: Int) { oracle.acts[act].isAcknowledged = true }

  private func failed(
    _ error: BackupFolderError, on computer: Computer, _ truth: Truth
  ) -> String {
    if Crash.hasHappened || isAttacked { return "\(error)" }
    // Nothing opens before one whole key slot is here. A planted one has no name of ours.
    let slots = computer.replica.files.filter {
      computer.replica.partial[$0.key] == nil && $0.key.contains("/\(namespace)/")
        && !$0.key.contains("/planted-")
        && ($0.key.contains("/\(FolderLayout.keyFolder)/") || $0.key.contains("masterkey-"))
    }
    if slots.isEmpty { return "not yet here: \(error)" }
    violate("a run failed: \(error)")
    return "\(error)"
  }
}

/// The versions that a run returned.
struct Shown {
  /// The entries' bytes, by record and words.
  var versions: [RecordID: [String: [UInt8]]] = [:]
  var states: [RecordID: Set<WalletState>] = [:]

  mutating func add(_ version: WalletVersion, words: String, _ bytes: borrowing SecretBytes) {
    let text = bytes.withBytes { span in unsafe span.withUnsafeBytes { unsafe [UInt8]($0) } }
    versions[version.recordID, default: [:]][words] = text
    states[version.recordID, default: []].insert(version.state)
  }
}
