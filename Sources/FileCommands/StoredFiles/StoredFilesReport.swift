package import BackupFolder
package import CommandKit

/// The part of a report about files, and computers that write them without a touch.
package struct StoredFilesReport: Sendable {
  /// The files; nil: the backup was not opened.
  private var summary: FileSummary?
  /// The lines about them.
  private var summaryLines: [String] = []
  /// This computer as one that writes without a touch; nil: nobody looked.
  package var writer: LocalWriterReport?

  /// The files as they are remembered; nil: nobody looked.
  package var remembered: RememberedFilesReport?
  /// The files that are watched here; nil: nobody looked.
  package var watched: WatchedReport?

  /// An empty part.
  package init() {}

  /// - Parameters:
  ///   - summary: the files of an opened backup.
  ///   - now: Unix seconds.
  package init(_ summary: FileSummary, at now: Int64) {
    self.summary = summary
    summaryLines = summary.lines(at: now)
  }

  /// Whether the backup has files.
  package var hasFiles: Bool { summary.map { !$0.rows.isEmpty } ?? false }

  /// Files whose contents are not those that were written.
  package var damaged: [FileFinding] { summary?.damaged ?? [] }
  /// Versions whose contents are not here as a whole.
  package var incomplete: [FileFinding] { summary?.incomplete ?? [] }

  /// Whether contents were read, and some are not what was written or could not be read.
  package var lacksContents: Bool { summary?.lacksContents ?? false }

  /// Adds the codes and the advice of this part.
  ///
  /// - Parameters:
  ///   - codes: the codes of the report.
  ///   - advice: its advice.
  ///   - isForbidden: whether a folder may not be read, which the report says.
  package func judge(_ codes: inout [ExitReason], _ advice: inout [String], isForbidden: Bool) {
    codes += (summary?.codes ?? []) + (remembered?.codes ?? []) + (watched?.codes ?? [])
    codes += writer?.codes ?? []
    advice +=
      (watched?.advice ?? []) + (summary?.advice(isForbidden: isForbidden) ?? [])
      + (remembered?.advice ?? [])
    advice += writer?.advice ?? []
  }

  package var lines: [String] {
    summaryLines + (remembered?.lines ?? []) + (writer?.lines ?? []) + (watched?.lines ?? [])
  }

  /// The part as JSON.
  package var json: JSONOutput {
    var json: JSONOutput = summary?.json ?? remembered?.json ?? [:]
    if let writer {
      json["silent_here"] = writer.json
      json["waiting_wallets_here"] = .number(writer.waitingWallets)
    }
    if let watched { json["watched"] = watched.json }
    return json
  }
}
