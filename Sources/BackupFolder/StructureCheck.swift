internal import CSPP

/// What a folder tells without a key.
///
/// Headers are believed as they stand: whoever writes to the folder can forge
/// them, and only a run with the key notices.
public struct StructureReport: Sendable {
  /// The wallets' files; ``WalletReport/restored`` stays 0.
  public let wallets: WalletReport
  /// The logs, by what the operations' headers say of themselves.
  public let health: LogHealth
}

extension Namespace {
  /// Parses every wallet file and log file without opening any, and compares the
  /// logs with what this computer remembers.
  ///
  /// A wallet whose file parses counts as ``WalletState/current``.
  ///
  /// - Returns: what was found.
  /// - Throws: a listing that fails.
  public func checkStructure() throws(BackupFolderError) -> StructureReport {
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
    let health = try checkLogs(&report, &buffer)
    report.failures = report.findings
    return StructureReport(wallets: report, health: health)
  }

  private func checkLogs(
    _ report: inout WalletReport, _ buffer: inout FileBuffer
  ) throws(BackupFolderError) -> LogHealth {
    var headers: [(header: OperationHeader, digest: Digest)] = []
    var unsynchronised: Set<OperationName> = []
    if let logs = try logFolder() {
      for location in try OperationLog.list(logs) {
        guard let folder = try logs.subdirectory(location.folder) else { continue }
        let limit = settings.limits.operation
        let problem = check(location.file, in: folder, limit: limit, &buffer) {
          (bytes) throws(CSPPError) in
          let file = try OperationFile(parsing: bytes, at: id, limit: limit)
          headers.append((file.header, file.digest))
        }
        guard let problem else { continue }
        if problem.state == .incomplete, let name = location.claimedName {
          unsynchronised.insert(name)
        }
        report.findings.append(
          FileFinding(
            file: location.path, recordID: nil, state: problem.state, reason: problem.reason))
      }
    }
    let state = try? state(make: false)
    let memory = (try? state?.memory(of: id)) ?? Memory()
    return health(headers, memory: memory, unsynchronised: unsynchronised)
  }

  private func health(
    _ headers: [(header: OperationHeader, digest: Digest)], memory: Memory,
    unsynchronised: Set<OperationName>
  ) -> LogHealth {
    var index = LogIndex()
    for (header, digest) in headers.sorted(by: { $0.header.counter < $1.header.counter }) {
      let reference = Operation.Seen(
        writerID: header.writerID, counter: header.counter, digest: digest)
      _ = index.append(reference, previous: header.previous, seen: [])
    }
    return health(of: index, memory: memory, unsynchronised: unsynchronised)
  }

  /// Compares the logs with what is remembered and with the ways in.
  func health(
    of index: LogIndex, memory: Memory, unsynchronised: Set<OperationName>
  ) -> LogHealth {
    var health = index.health(memory: memory, unsynchronised: unsynchronised)
    if index.nodes.isEmpty, health.incomplete == 0,
      (try? scan())?.waysIn.contains(where: { $0.keyID != nil }) == true
    {
      // A way in that this program wrote always has an operation beside it.
      health.incomplete = 1
    }
    return health
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
