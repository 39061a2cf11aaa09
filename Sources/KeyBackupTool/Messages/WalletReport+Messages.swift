internal import BackupFolder
internal import CSPP

extension WalletReport {
  /// How a run over all wallets ends: what could not be read decides.
  var exitCode: ExitCode {
    var codes: [ExitCode] = []
    if failures.contains(where: { $0.state == .unreadable }) {
      codes.append(restored > 0 ? .partial : .dataInvalid)
    }
    if failures.contains(where: { $0.state == .incomplete }) {
      codes.append(restored > 0 ? .partial : .incomplete)
    }
    return .mostUrgent(of: codes)
  }
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
  /// Tells about every wallet that could not be read, and says what to do.
  func warn(_ report: WalletReport) {
    for failure in report.failures {
      warn("keybackup: \(failure.state.rawValue): \(failure.file): \(failure.reason)")
    }
    if report.failures.contains(where: { $0.state == .incomplete }) {
      warn("hint: wait until the folder is synchronised, then try again")
    }
    if report.failures.contains(where: { $0.state == .unreadable }) {
      warn("hint: keep the damaged files; your sync provider may have older versions of them")
    }
  }
}
