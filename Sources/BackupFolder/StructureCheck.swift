internal import CSPP

extension Namespace {
  /// Parses every wallet file and log file without opening any: what `verify`
  /// can say without a key.
  ///
  /// A wallet whose file parses counts as ``WalletState/current``.
  ///
  /// - Returns: what was found; ``WalletReport/restored`` stays 0.
  /// - Throws: a listing that fails.
  public func checkStructure() throws(BackupFolderError) -> WalletReport {
    var report = WalletReport()
    var buffer = FileBuffer()
    var records: Set<RecordID> = []
    let wallets = try walletFolder()
    for file in try viewFiles() where file.claimsWallet {
      guard let folder = file.isOlderPlace ? directory : wallets else { continue }
      let problem = check(file.name, in: folder, limit: settings.limits.record, &buffer) {
        (bytes) throws(CSPPError) in
        _ = try WalletEnvelope(
          parsing: bytes, at: id, recordID: file.named, limit: settings.limits.record)
      }
      if let problem {
        report.findings.append(
          FileFinding(
            file: file.path, recordID: file.named, state: problem.state, reason: problem.reason))
        report.counts[problem.state] += 1
      } else if file.named.map({ records.insert($0).inserted }) ?? false {
        report.counts[.current] += 1
      }
    }
    try checkLogs(&report, &buffer)
    report.failures = report.findings
    return report
  }

  private func checkLogs(
    _ report: inout WalletReport, _ buffer: inout FileBuffer
  ) throws(BackupFolderError) {
    guard let logs = try logFolder() else { return }
    for location in try OperationLog.list(logs) {
      guard let folder = try logs.subdirectory(location.folder) else { continue }
      let limit = settings.limits.operation
      let problem = check(location.file, in: folder, limit: limit, &buffer) {
        (bytes) throws(CSPPError) in _ = try OperationFile(parsing: bytes, at: id, limit: limit)
      }
      guard let problem else { continue }
      let path = "\(FolderLayout.ownFolder)/\(FolderLayout.logFolder)"
      report.findings.append(
        FileFinding(
          file: "\(path)/\(location.folder)/\(location.file)", recordID: nil,
          state: problem.state, reason: problem.reason))
    }
  }

  private func check(
    _ name: String, in folder: Directory, limit: Int, _ buffer: inout FileBuffer,
    _ parse: (Span<UInt8>) throws(CSPPError) -> Void
  ) -> (state: WalletState, reason: String)? {
    do {
      try buffer.read(name, in: folder, limit: limit)
    } catch {
      return error == .absent
        ? nil : (error == .incomplete ? .incomplete : .unreadable, error.words)
    }
    do {
      try buffer.withBytes(parse)
      return nil
    } catch {
      let incomplete = error == .empty || error == .truncated
      return (incomplete ? .incomplete : .unreadable, "\(error)")
    }
  }
}
