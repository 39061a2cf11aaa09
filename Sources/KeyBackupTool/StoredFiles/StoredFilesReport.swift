internal import BackupFolder

/// The part of a report about files, and computers that write them without a touch.
struct StoredFilesReport: Sendable {
  /// The files; nil: the backup was not opened.
  private var summary: FileSummary?
  /// The lines about them.
  private var summaryLines: [String] = []
  /// This computer as one that writes without a touch; nil: nobody looked.
  var writer: LocalWriterReport?

  /// The files as they are remembered; nil: nobody looked.
  var remembered: RememberedFilesReport?
  /// The files that are watched here; nil: nobody looked.
  var watched: WatchedReport?

  /// An empty part.
  init() {}

  /// - Parameters:
  ///   - summary: the files of an opened backup.
  ///   - now: Unix seconds.
  init(_ summary: FileSummary, at now: Int64) {
    self.summary = summary
    summaryLines = summary.lines(at: now)
  }

  /// Whether the backup has files.
  var hasFiles: Bool { summary.map { !$0.rows.isEmpty } ?? false }

  /// Files whose contents are not those that were written.
  var damaged: [FileFinding] { summary?.damaged ?? [] }
  /// Versions whose contents are not here as a whole.
  var incomplete: [FileFinding] { summary?.incomplete ?? [] }

  /// Whether contents were read, and some are not what was written or could not be read.
  var lacksContents: Bool { summary?.lacksContents ?? false }

  /// Adds the codes and the advice of this part.
  ///
  /// - Parameters:
  ///   - codes: the codes of the report.
  ///   - advice: its advice.
  ///   - isForbidden: whether a folder may not be read, which the report says.
  func judge(_ codes: inout [ExitCode], _ advice: inout [String], isForbidden: Bool) {
    codes += (summary?.codes ?? []) + (remembered?.codes ?? []) + (watched?.codes ?? [])
    codes += writer?.codes ?? []
    advice +=
      (watched?.advice ?? []) + (summary?.advice(isForbidden: isForbidden) ?? [])
      + (remembered?.advice ?? [])
    advice += writer?.advice ?? []
  }

  var lines: [String] {
    summaryLines + (remembered?.lines ?? []) + (writer?.lines ?? []) + (watched?.lines ?? [])
  }

  /// The part as JSON.
  var json: JSONOutput {
    var json: JSONOutput = summary?.json ?? remembered?.json ?? [:]
    if let writer {
      json["silent_here"] = writer.json
      json["waiting_wallets_here"] = .number(writer.waitingWallets)
    }
    if let watched { json["watched"] = watched.json }
    return json
  }
}
