internal import BackupFolder
internal import CSPP

/// What `status` and `verify` tell, in the contract's JSON and in text.
struct StatusReport: Sendable {
  var namespaceID: NamespaceID
  var wallets: WalletCounts
  var keys: Int
  var health = LogHealth()
  var findings: [FileFinding]
  var codes: [ExitCode]
  var advice: [String]
  /// What the sync engine said; nil: it was not asked.
  private(set) var synchronised: SyncAnswer?

  /// The report as JSON.
  var json: JSONValue {
    var counts: JSONValue = [:]
    for state in WalletState.allCases { counts[state.rawValue] = .number(wallets[state]) }
    var json: JSONValue = [
      "namespace_id": .string(namespaceID.hex), "wallets": counts, "keys": .number(keys),
      "freshness": .string(health.freshness),
      "known": .bool(health.isFreshnessKnown),
      "advice": .array(advice.map(JSONValue.string)),
      "failed": .array(findings.map(\.json)),
    ]
    if let synchronised {
      json["synchronised"] = .optional(synchronised.isSynchronised)
      json["engine"] = .optional(synchronised.engine?.rawValue)
      json["engine_says"] = .string(synchronised.words)
    }
    return json
  }

  /// The report as lines.
  var lines: [String] {
    var lines = ["Backup     \(namespaceID.hex)"]
    lines.append("Ways in    \(keys)")
    let counts = WalletState.allCases.filter { wallets[$0] > 0 }
      .map { "\(wallets[$0]) \($0.rawValue)" }
    lines.append("Wallets    " + (counts.isEmpty ? "0" : counts.joined(separator: ", ")))
    if health.freshness.isEmpty {
      lines.append("Freshness  no log here")
    } else {
      lines.append(
        "Freshness  \(health.freshness)"
          + (health.isFreshnessKnown ? "" : " (unknown: this computer has not seen it before)"))
    }
    if let synchronised { lines.append("Elsewhere  " + synchronised.text) }
    lines += findings.map {
      "\($0.state.rawValue)  \(PrintableText.clean($0.file, limit: 200)): \($0.reason)"
    }
    lines += advice.map { "! \($0)" }
    return lines
  }

  /// Adds what the states of wallets, files and logs mean.
  mutating func judge() {
    if wallets[.unreadable] > 0 {
      codes.append(.dataInvalid)
      advice.append(
        "some files are damaged or cannot be read; your sync provider may have older versions")
    }
    if findings.contains(where: { $0.state == .unreadable }) { codes.append(.dataInvalid) }
    if wallets[.rolledBack] > 0 || health.rolledBack > 0 {
      codes.append(.rollback)
      advice.append("the folder is older than what this computer has seen: check its sync program")
    }
    if health.forked > 0 {
      codes.append(.rollback)
      advice.append(
        "two histories contradict each other: a file of the log was changed or replaced, or an old "
          + "copy of the folder was written to; verify --deep says more")
    }
    if wallets[.conflict] > 0 {
      codes.append(.conflict)
      advice.append("some wallets have several versions; all of them are restored")
    }
    let waiting = wallets[.incomplete] + health.incomplete
    if wallets[.missing] > 0 {
      codes.append(.incomplete)
      advice.append(
        "some wallets are in the log only; adding or removing one writes their files again")
    }
    if waiting > 0 || findings.contains(where: { $0.state == .incomplete }) {
      codes.append(.incomplete)
      advice.append("some files are not synchronised yet: wait and look again")
    }
  }

  /// Adds what the sync engine said: what it knows to be under way is not yet
  /// synchronised; what it cannot tell changes nothing.
  mutating func add(_ answer: SyncAnswer) {
    synchronised = answer
    if answer.isSynchronised == false { codes.append(.incomplete) }
  }

  /// The code to end with.
  var exitCode: ExitCode { .mostUrgent(of: codes) }
}
