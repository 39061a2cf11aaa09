package import BackupFolder
internal import CSPP
package import CommandKit
internal import CommandSupport

extension WalletReport {
  /// The exit code of a run over all wallets, from unreadable files and from the state of the logs.
  ///
  /// - Parameters:
  ///   - health: the state of the logs.
  ///   - logFindings: unusable log files, whose contents may be missing.
  /// - Returns: the code.
  package func exitCode(_ health: LogHealth, _ logFindings: [FileFinding]) -> ExitReason {
    var codes: [ExitReason] = []
    let unreadable = (failures + logFindings).filter { $0.state == .unreadable }
    if !unreadable.isEmpty {
      let none: ExitReason =
        unreadable.allSatisfy(\.isForbidden) ? .permissionDenied : .dataInvalid
      codes.append(restored > 0 ? .partial : none)
    }
    if failures.contains(where: { $0.state == .incomplete }) {
      codes.append(restored > 0 ? .partial : .incomplete)
    }
    if logFindings.contains(where: { $0.state == .incomplete }) { codes.append(.incomplete) }
    if health.isRolledBack || counts[.rolledBack] > 0 { codes.append(.rollback) }
    if health.incomplete + counts[.incomplete] > 0 { codes.append(.incomplete) }
    // Newer changes are in the successor.
    if health.successor != nil { codes.append(restored > 0 ? .partial : .incomplete) }
    return .mostUrgent(of: codes)
  }
}

extension LogHealth {
  /// Whether the folder is older than what this computer has seen, or forked.
  package var isRolledBack: Bool { rolledBack + forked > 0 }

  /// The state as a word of JSON.
  package var history: JSONOutput {
    if isRolledBack { return "rolled-back" }
    if incomplete > 0 { return "incomplete" }
    return unreadRotation == nil ? "whole" : "other-rotation"
  }

  /// The copies of the backup at other paths with changes that are missing here.
  package var copyLines: [String] {
    copies.map { copy in
      let changes = counted(copy.operations, "change")
      guard let path = copy.path else {
        return "this computer has seen \(changes) at another path of this backup, missing here"
      }
      return
        "the copy of this backup in \(ShellWord.quoted(path)) has \(changes) that this one lacks"
    }
  }

  /// The copies of the backup at other paths that are gone, with changes that are missing here.
  package var lostCopyLines: [String] {
    lostCopies.compactMap { copy in
      copy.path.map { path in
        "\(counted(copy.operations, "change")) of these \(copy.operations == 1 ? "was" : "were") in the "
          + "copy of this backup in \(ShellWord.quoted(path)), which is gone. If you moved the folder from "
          + "there, an older copy is here now. If that was a test copy that you deleted, only its changes are "
          + "missing"
      }
    }
  }

  /// The advice where two copies are in use.
  package static let copyAdvice =
    "if both copies are in use, make changes in only one of them. If the other one was a test, go on here"

  /// The same copies as JSON; nil where there are none.
  package var copiesJSON: JSONOutput? {
    if copies.isEmpty { return nil }
    return .array(
      copies.map { ["path": .optional($0.path), "operations": .number($0.operations)] })
  }

  /// The limits of the freshness word, in brackets.
  ///
  /// - Parameter isOpened: whether the backup was opened in this run.
  /// - Returns: the text; empty where there are none.
  package func freshnessNote(isOpened: Bool) -> String {
    switch (isOpened, isFreshnessKnown) {
    case (true, true): ""
    case (true, false): " (unknown: this computer has not opened it yet)"
    case (false, true): " (not checked; needs your key)"
    case (false, false): " (not checked: this computer has not opened the backup yet)"
    }
  }
}

extension FileFinding {
  /// The finding as JSON according to the contract.
  package var json: JSONOutput {
    [
      "record_id": .optional(recordID?.hex), "state": .string(state.rawValue),
      "file": .string(file), "reason": .string(reason),
    ]
  }
}

extension Output {
  /// Warns that the change is made, but that the files for other CSPP programs could not be updated
  /// yet.
  package func warn(viewProblem: BackupFolderError?) {
    guard let viewProblem else { return }
    let cause = UserMessage(viewProblem)
    warn(
      "keybackup: the change is made, but a file for other programs is not up to date: "
        + cause.message)
    warn("hint: the next change tries again; restore already knows this one")
  }

  /// Warns about every unreadable wallet and the state of the logs, and says what to do.
  ///
  /// - Parameters:
  ///   - report: the wallets.
  ///   - health: the state of the logs.
  ///   - logFindings: unusable log files.
  ///   - all: whether to name every file that is not here yet.
  package func warn(
    _ report: WalletReport, _ health: LogHealth, _ logFindings: [FileFinding], all: Bool
  ) {
    let findings = report.failures + logFindings
    for (state, text) in findings.lines(all: all) { warn("keybackup: \(state): \(text)") }
    if findings.contains(where: \.isForbidden) {
      warn("hint: check the owner and the permissions of the folder")
    }
    if findings.contains(where: { $0.state == .unreadable && !$0.isForbidden }) {
      warn("hint: keep the damaged files; your sync provider may have older versions")
    }
    warn(health, findings, incomplete: report.counts[.incomplete])
  }

  /// Warns about the state of the logs, and says what to do.
  ///
  /// - Parameters:
  ///   - health: the state of the logs.
  ///   - findings: the files that could not be used, which were named before.
  ///   - incomplete: how many wallets are not here yet.
  package func warn(_ health: LogHealth, _ findings: [FileFinding], incomplete: Int = 0) {
    if health.rolledBack > 0 {
      warn("keybackup: the folder is older than what this computer has seen")
      for line in health.lostCopyLines { warn("hint: \(line)") }
      warn("hint: check the sync program; what was added since is missing")
      warn("hint: to see what, and to accept it if it was meant: keybackup status")
    }
    for line in health.copyLines { warn("keybackup: \(line)") }
    if !health.copies.isEmpty { warn("hint: \(LogHealth.copyAdvice)") }
    if health.forked > 0 {
      warn("keybackup: two histories of the folder contradict each other")
      warn("hint: somebody wrote to an old copy of it, or changed its log; all versions are shown")
    }
    if !findings.explainAbsence,
      health.incomplete + incomplete > 0 || findings.contains(where: { $0.state == .incomplete })
    {
      warn("keybackup: not everything is here yet")
      warn("hint: wait until the folder is synchronised, then try again")
    }
  }
}
