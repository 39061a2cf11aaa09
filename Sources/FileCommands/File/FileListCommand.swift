package import ArgumentParser
package import BackupFolder
package import CSPP
package import CommandKit
internal import CommandSupport
internal import Unlocking

/// `keybackup file list`: a row for each file.
package struct FileListCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the files of the backup, without their contents.")

  @OptionGroup var unlock: UnlockOptions

  package init() {}

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let opened = try await unlock.open(world)
    let rows = try opened.allFiles().map(FileRow.init)
    opened.rememberFiles(world)
    let output = unlock.output(world)
    let findings = opened.sealedFindings + opened.logFindings
    if unlock.common.json {
      try output.result(json: [
        "files": .array(rows.map(\.json)), "failed": .array(findings.map(\.json)),
        "gaps": opened.gaps, "history": opened.health.history,
      ])
    } else {
      if rows.isEmpty, findings.isEmpty {
        output.note("No files yet. To add one: keybackup file add PATH")
      } else if !rows.isEmpty {
        try output.result(FileRow.table(rows))
        let waiting = rows.count {
          $0.state == .conflict || $0.state == .late || $0.heldBack + $0.late > 0
        }
        if waiting > 0 {
          output.note(
            "\(counted(waiting, "file")) \(waiting == 1 ? "needs" : "need") your decision. To see the "
              + "versions: keybackup file history NAME")
          output.note("To choose one: keybackup file keep NAME VERSION")
        }
      }
      output.warn(sealed: findings, all: unlock.common.verbose)
      output.warn(opened.health, findings)
      output.warn(gapsOf: opened.writersWithGaps)
    }
    return .mostUrgent(of: opened.fileCodes(rows))
  }
}

extension OpenNamespace {
  /// Every file, with the folder's error as a message.
  package func allFiles() throws(UserMessage) -> [BackedUpFile] {
    do throws(BackupFolderError) {
      return try files()
    } catch {
      throw UserMessage(error)
    }
  }

  /// The same where a person names one: that none is there is not said of a folder that may not be
  /// read.
  ///
  /// - Returns: the files.
  /// - Throws: `permission-denied`.
  func namedFiles() throws(UserMessage) -> [BackedUpFile] {
    let files = try allFiles()
    guard files.isEmpty, let forbidden = (logFindings + sealedFindings).first(where: \.isForbidden)
    else { return files }
    throw UserMessage(
      .permissionDenied, "\(ShellWord.quoted(forbidden.file)) in the backup: \(forbidden.reason)",
      hint: "check the owner and the permissions of the folder")
  }

  /// Whether the backup has files, as far as they can be listed.
  package var hasBackedUpFiles: Bool { ((try? files()) ?? []).contains { !$0.isRemoved } }

  /// The labels of the computers that write without a touch, of whose changes some are not here.
  ///
  /// Those are left out whose folder may not be read, which a finding says.
  package var writersWithGaps: [PathComponent] {
    let forbidden = (sealedFindings + logFindings).filter(\.isForbidden).map(\.file)
    return silentWriters().filter { status in
      (status.isBehind
        ? status.lacksChanges : status.hasGap || status.followsMissing || status.missing > 0)
        && !forbidden.contains {
          $0.hasSuffix("/" + FolderLayout.sealedFolder) || $0.contains(status.writer.writerID.hex)
        }
    }.map(\.writer.label)
  }

  /// The codes for the logs and for files of silent writers that could not be read.
  package func fileCodes(_ rows: [FileRow]) -> [ExitReason] {
    var codes: [ExitReason] = []
    let findings = sealedFindings + logFindings
    if findings.contains(where: { $0.state == .unreadable }) {
      let none: ExitReason =
        findings.allSatisfy { $0.state != .unreadable || $0.isForbidden }
        ? .permissionDenied : .dataInvalid
      codes.append(rows.isEmpty ? none : .partial)
    }
    if findings.contains(where: { $0.state == .incomplete }) || health.incomplete > 0
      || hasSealedGap
    {
      codes.append(.incomplete)
    }
    if health.isRolledBack { codes.append(.rollback) }
    // Newer changes are in the successor.
    if health.successor != nil { codes.append(rows.isEmpty ? .incomplete : .partial) }
    return codes
  }

  /// The code of a command that shows one thing: an earlier backup's may be out of date.
  package var earlierCode: ExitReason { health.successor == nil ? .success : .partial }

  /// The codes for files of silent writers, where the wallets' report judges the logs.
  package var sealedCodes: [ExitReason] {
    var codes: [ExitReason] = []
    if sealedFindings.contains(where: { $0.state == .unreadable }) { codes.append(.partial) }
    if hasSealedGap || sealedFindings.contains(where: { $0.state == .incomplete }) {
      codes.append(.incomplete)
    }
    return codes
  }
}

extension OpenNamespace {
  /// The labels of ``writersWithGaps`` as JSON.
  package var gaps: JSONOutput { .array(writersWithGaps.map { .string($0.text) }) }

  /// The code where a wallet that was added without a touch may be missing.
  package var walletGapCodes: [ExitReason] {
    silentWriters().contains { $0.lacksChanges && $0.writer.may.contains(.put) }
      ? [.incomplete] : []
  }
}

extension Output {
  /// Warns about files of silent writers that do not count.
  package func warn(sealed findings: [FileFinding], all: Bool) {
    for (state, text) in findings.lines(all: all) { warn("keybackup: \(state): \(text)") }
    if findings.contains(where: \.isForbidden) {
      warn("hint: check the owner and the permissions of the folder")
    }
  }

  /// Warns about computers that write without a touch, of whose changes some are not here.
  package func warn(gapsOf labels: [PathComponent]) {
    for label in labels.prefix(20) {
      warn(
        "keybackup: some changes of \"\(PrintableText.name(label.text))\" are not here, so what it added "
          + "may be missing or older")
    }
    if !labels.isEmpty { warn("hint: check the sync program, then run: keybackup verify --deep") }
  }
}
