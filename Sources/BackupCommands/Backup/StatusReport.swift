internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import CommandSupport
internal import FileCommands
internal import SyncFolders
internal import Unlocking

/// The report of `status` and `verify`, in the contract's JSON and in text.
struct StatusReport: Sendable {
  var namespaceID: NamespaceID
  /// Where it is written.
  var folder: String
  /// The carrier of the folder to another place; nil: nobody looked, or there is none.
  var carrier: String?
  var wallets = WalletCounts()
  /// The key slots, removed ones included whose files are there.
  var slots: [KeySlot]
  /// Key slots that one loses one by one, as far as they count.
  var keys: Int { slots.filter(\.counts).independent.count }
  /// Whether this computer knows which key slots there are.
  var knowsKeySlots: Bool
  /// Whether it has opened the whole log, where that tells about an unconfirmed key slot.
  private(set) var hasOpenedWholeLog = false
  var health = LogHealth()
  var findings: [FileFinding]
  /// Whether every record was decrypted; else only what anyone can see is known.
  var isOpened = false
  /// Wallets that cannot be spent from; without a key as this computer remembers
  /// them; nil: it has not opened them.
  var watchOnly: Int?
  /// The wallets that are not current.
  var notCurrent: [RecordID: WalletState] = [:]
  /// Wallets that were removed on one computer and changed on another.
  var keptAgainstRemoval = 0
  /// Wallet files beside the wallets' own that no key has looked at.
  var copies = 0
  /// Wallets that were removed in an earlier namespace after the rotation.
  var removedEarlier = 0
  /// Earlier namespaces that a person may delete now.
  var spent: [SpentNamespace] = []
  /// Key slots that have a file in an earlier namespace only.
  var waiting: [KeySlot] { slots.filter(\.isPending) }
  /// Whether a newer program wrote what this one does not know.
  var hasUnknownChanges = false
  /// Other backups of the folder that this computer knew and that are gone.
  var vanished: [NamespaceID] = []
  /// Other backups of the folder that this computer never opened.
  var others: [NamespaceID] = []
  /// Key slots that this computer remembers and whose files are gone.
  var lostKeySlots: [LostKeySlot] = []
  /// The errors of files in which this computer remembers the folder.
  var unusable: [UserMessage] = []
  /// The computers' own names, if known.
  var writerLabels: [WriterID: String] = [:]
  /// The comparison with another computer's freshness word.
  var comparison: FreshnessComparison?
  var codes: [ExitReason] = []
  var advice: [String] = []
  /// The advice about what is still to be done where nothing is wrong.
  var hints: Set<String> = []
  /// The sync program's answer; nil: it was not asked.
  private(set) var synchronised: SyncAnswer?
  /// The places where this computer has cached the master key.
  var cachedKeys: [CachedKeyReport] = []
  /// The files, and the computers that write them.
  var stored = StoredFilesReport()
  /// Whether to name every file that is not here yet.
  var listsAll = false

  /// Reports the key slots alone.
  init(_ backup: Backup, _ run: Run) throws(UserMessage) {
    let scan = try backup.scan()
    namespaceID = backup.namespace.id
    folder = backup.folder.path
    slots = backup.keySlots(scan)
    knowsKeySlots = backup.namespace.knowsKeySlots
    if knowsKeySlots, slots.contains(where: \.isUnconfirmed) {
      hasOpenedWholeLog = backup.namespace.hasOpenedWholeLog
    }
    findings = scan.findings
    vanished = (try? backup.folder.vanishedNamespaces()) ?? []
    others = run.others.present
    lostKeySlots = backup.namespace.lostKeySlots
    unusable = backup.folder.unusableMemories().map(UserMessage.init)
  }

  /// Reports the namespace that was opened; it may have no key slot of its own yet.
  init(
    of opened: borrowing OpenNamespace, in backup: Backup, _ run: Run
  ) throws(UserMessage) {
    let moved = try backup.moved(to: opened)
    do throws(UserMessage) {
      try self.init(moved, run)
    } catch  where opened.id != backup.namespace.id {
      try self.init(backup, run)
    }
  }

  /// Reports what needs no key; `readingAll` also reads what silent writers wrote.
  init(
    structureOf backup: Backup, _ run: Run, readingAll: Bool = false
  ) throws(UserMessage) {
    try self.init(backup, run)
    do throws(BackupFolderError) {
      let structure = try backup.namespace.checkStructure(readingSealed: readingAll)
      wallets = structure.wallets.counts
      notCurrent = structure.wallets.notCurrent
      copies = structure.copies
      findings += structure.wallets.findings
      health = structure.health
    } catch {
      throw UserMessage(error)
    }
  }

  /// Adds what opening every record told.
  mutating func note(_ report: WalletReport, of opened: borrowing OpenNamespace) {
    isOpened = true
    knowsKeySlots = true
    namespaceID = opened.id
    wallets = report.counts
    removedEarlier = opened.removedEarlier.count
    notCurrent = report.notCurrent
    keptAgainstRemoval = opened.keptAgainstRemoval.count
    hasUnknownChanges = opened.hasUnknownChanges
    findings += report.findings + opened.logFindings + opened.sealedFindings
    health = opened.health
    if let known = try? opened.allKeySlots() { slots = known }
    let undecided = wallets[.late] + wallets[.heldBack]
    if undecided == 0, opened.mayLoseEarlier { spent = opened.earlierNamespaces }
    advice += opened.adviceOnLateChanges + opened.adviceOnEarlier + opened.adviceOnEarlierFiles
    for writer in opened.writers where !writer.label.isEmpty {
      writerLabels[writer.id] = writer.label
    }
  }

  /// Adds what the sync engine said: what it knows to be under way is not yet
  /// synchronised; what it cannot tell changes nothing.
  mutating func add(_ answer: SyncAnswer) {
    synchronised = answer
    if answer.isSynchronised == false { codes.append(.incomplete) }
  }

  /// The report as JSON.
  var json: JSONOutput {
    var counts: JSONOutput = [:]
    for state in WalletState.allCases { counts[state.rawValue] = .number(wallets[state]) }
    var json: JSONOutput = [
      "namespace_id": .string(namespaceID.hex), "folder": .string(folder),
      "wallets": counts, "keys": .number(keys),
      "ways": .array(slots.map(\.json)),
      "freshness": .string(health.freshness),
      "freshness_of": .string(isOpened ? "opened" : "claimed"),
      "known": .bool(health.isFreshnessKnown),
      "advice": .array(advice.map(JSONOutput.string)),
      "failed": .array(findings.map(\.json)),
      "records": .array(
        notCurrent.sorted { $0.key < $1.key }.map { (record, state) in
          ["record_id": .string(record.hex), "state": .string(state.rawValue)]
        }),
      "waiting": .array(waiting.map { .optional($0.keyID?.hex) }),
      "deletable": .array(spent.map(\.json)),
      "operations": .number(health.operations), "writers": .number(health.writers),
    ]
    if let copies = health.copiesJSON { json["copies"] = copies }
    for (name, ids) in [("vanished", vanished), ("others", others)] where !ids.isEmpty {
      json[name] = .array(ids.map { .string($0.hex) })
    }
    if !unusable.isEmpty { json["memory"] = .array(unusable.map { .string($0.message) }) }
    if !lostKeySlots.isEmpty { json["lost_ways"] = .array(lostKeySlots.map { .string($0.file) }) }
    if let watchOnly { json["watch_only"] = .number(watchOnly) }
    json["known_in"] = .array(cachedKeys.map(\.json))
    if let synchronised {
      json["synchronised"] = .optional(synchronised.isSynchronised)
      json["engine"] = .optional(synchronised.engine?.rawValue)
      json["engine_says"] = .string(synchronised.words)
    }
    if let comparison { json["comparison"] = comparison.json }
    return json.merging(stored.json)
  }

  /// The report as lines, without what the verdict has said.
  func lines(below verdict: String? = nil) -> [String] {
    var lines = [
      "Folder     " + ShellWord.quoted(folder) + (carrier.map { " (\($0))" } ?? ""),
      "Backup     \(namespaceID.hex)", "Ways in    \(keySlotCount)",
    ]
    lines += keySlotLines + ["Wallets    \(walletText)"] + stored.lines
    lines.append(
      "History    \(counted(health.operations, "change")) by "
        + counted(health.writers, "computer"))
    if health.freshness.isEmpty {
      lines.append("Freshness  no history here")
    } else {
      lines.append(
        "Freshness  \(FreshnessWord(health.freshness)?.grouped ?? health.freshness)"
          + health.freshnessNote(isOpened: isOpened))
    }
    lines += cachedKeys.map { "Unlocked   \($0.text)" }
    if let synchronised { lines.append("Elsewhere  " + synchronised.text) }
    if let comparison { lines.append("Compared   \(comparison.text)") }
    lines += findings.lines(all: listsAll).map { "\($0.state)  \($0.text)" }
    if !notCurrent.isEmpty, isOpened {
      // As many as a person may read one by one.
      let shown = notCurrent.sorted { $0.key < $1.key }.prefix(20)
      lines += shown.map { "\($0.value.rawValue)  record \($0.key.hex)" }
      if shown.count < notCurrent.count {
        lines.append("... and \(notCurrent.count - shown.count) more; --json lists them")
      }
    }
    return lines
      + advice.compactMap { text in
        let mark = hints.contains(text) ? "hint: " : "! "
        return StatusVerdict.rest(of: text, after: verdict).map { mark + $0 }
      }
  }

  private var walletText: String {
    let states = WalletState.allCases.filter { wallets[$0] > 0 }
    let counts =
      isOpened
      ? states.map { "\(wallets[$0]) \($0.rawValue)" }
      : states.map { "\(wallets[$0]) \($0 == .current ? "saved" : $0.rawValue)" }
    var text = counts.isEmpty ? "0" : counts.joined(separator: ", ")
    if let watchOnly, watchOnly > 0 {
      text += "; \(watchOnly) watch-only" + (isOpened ? "" : " when last opened here")
    }
    return isOpened ? text : text + "; contents not checked (needs your key)"
  }
}

extension FreshnessComparison {
  /// Its meaning, in words.
  fileprivate var text: String {
    switch self {
    case .same:
      "equal: nothing newer was known on the other computer. What is added without a touch does "
        + "not count here"
    case .newer(let count):
      "this folder has all that the word stands for, and \(counted(count, "change")) that the "
        + "computer that gave it lacked"
    case .lacking: "this folder lacks something that the word stands for"
    case .unknown: "cannot tell: some files are not synchronised yet"
    }
  }

  fileprivate var json: JSONOutput {
    switch self {
    case .same: ["result": "same", "newer_operations": 0]
    case .newer(let count): ["result": "newer", "newer_operations": .number(count)]
    case .lacking(let triedAll): ["result": "lacking", "tried_all": .bool(triedAll)]
    case .unknown: ["result": "unknown"]
    }
  }
}
