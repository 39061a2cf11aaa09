internal import BackupFolder
internal import CSPP

extension WalletReport {
  /// How a run over all wallets ends: what could not be read, and what the
  /// logs say about the folder, decide.
  ///
  /// - Parameters:
  ///   - health: the logs'.
  ///   - logFindings: files of the logs that gave nothing: what they held may
  ///     be lacking.
  /// - Returns: the code.
  func exitCode(_ health: LogHealth, _ logFindings: [FileFinding]) -> ExitCode {
    var codes: [ExitCode] = []
    if failures.contains(where: { $0.state == .unreadable }) {
      codes.append(restored > 0 ? .partial : .dataInvalid)
    }
    if failures.contains(where: { $0.state == .incomplete }) {
      codes.append(restored > 0 ? .partial : .incomplete)
    }
    if logFindings.contains(where: { $0.state == .unreadable }) { codes.append(.partial) }
    if health.isRolledBack || counts[.rolledBack] > 0 { codes.append(.rollback) }
    if health.incomplete + counts[.incomplete] > 0 { codes.append(.incomplete) }
    return .mostUrgent(of: codes)
  }
}

extension LogHealth {
  /// Whether the folder is older than what this computer has seen, or forked.
  var isRolledBack: Bool { rolledBack + forked > 0 }
}

extension FileFinding {
  /// The finding as the contract's JSON.
  var json: JSONValue {
    [
      "record_id": .optional(recordID?.hex), "state": .string(state.rawValue),
      "file": .string(file), "reason": .string(reason),
    ]
  }
}

extension Output {
  /// Tells that the change is made, and that the files other CSPP programs
  /// read could not follow it yet.
  func warn(viewProblem: BackupFolderError?) {
    guard let viewProblem else { return }
    let cause = UserMessage(viewProblem)
    warn(
      "keybackup: done and logged, but the wallet's CSPP file is not up to date: \(cause.message)")
    warn("hint: the next add, import or remove tries again; restore already knows the change")
  }

  /// Tells about every wallet that could not be read and about the state of
  /// the logs, and says what to do.
  func warn(_ report: WalletReport, _ health: LogHealth, _ logFindings: [FileFinding]) {
    for failure in report.failures + logFindings {
      warn(
        "keybackup: \(failure.state.rawValue): \(PrintableText.clean(failure.file, limit: 200)): "
          + failure.reason)
    }
    if (report.failures + logFindings).contains(where: { $0.state == .unreadable }) {
      warn("hint: keep the damaged files; your sync provider may have older versions of them")
    }
    if health.rolledBack > 0 {
      warn("keybackup: the folder is older than what this computer has seen")
      warn("hint: check its sync program; wallets added since then are not here")
    }
    if health.forked > 0 {
      warn("keybackup: two histories of the folder contradict each other")
      warn("hint: an old copy of it was written to, or its log was changed; all wallets are shown")
    }
    if health.incomplete + report.counts[.incomplete] > 0
      || report.failures.contains(where: { $0.state == .incomplete })
    {
      warn("keybackup: not everything is here yet")
      warn("hint: wait until the folder is synchronised, then try again")
    }
  }
}
