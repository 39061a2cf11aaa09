package import BackupFolder
internal import CSPP
package import CommandKit

/// The files of a backup and the computers that write them, counted for a report.
package struct FileSummary: Sendable {
  package private(set) var rows: [FileRow] = []
  package private(set) var writers: [SilentWriterStatus] = []
  /// Files whose contents were read and are not those that were written.
  package private(set) var damaged: [FileFinding] = []
  /// Versions whose contents could not be read now.
  private var unreadable: [FileFinding] = []
  /// Versions that count and whose contents are not here, or in part.
  private var absent = 0
  /// Wallets of computers without a key that are not in the CSPP files yet.
  private(set) var waitingWallets = 0
  /// Versions whose contents are only in an earlier namespace.
  private var contentsEarlier = 0
  /// Why the files could not be listed.
  package private(set) var problem: UserMessage?

  /// Counts, and reads no contents.
  package init(listing opened: borrowing OpenNamespace) {
    writers = opened.silentWriters()
    waitingWallets = opened.waitingSilentWallets
    contentsEarlier = opened.contentsOnlyEarlier
    do throws(BackupFolderError) {
      rows = try opened.files().map(FileRow.init)
    } catch {
      problem = UserMessage(error)
    }
  }

  /// Counts, and reads the contents of every version that counts or is late.
  ///
  /// - Parameters:
  ///   - opened: the backup.
  ///   - bar: shows how far large contents are.
  package init(of opened: borrowing OpenNamespace, _ bar: inout ProgressBar) {
    self.init(listing: opened)
    let counting = rows.flatMap { $0.file.live + $0.file.late }
    let live = counting.filter { $0.object == .inline || $0.object == .here }
    absent = counting.count - live.count
    let total = live.map(\.size).sumOfClaims()
    var done: UInt64 = 0
    for version in live {
      let start = done
      do throws(BackupFolderError) {
        try opened.read(version) { (bytes) throws(BackupFolderError) in
          if Interruption.received { throw .interrupted }
          done += UInt64(bytes.byteCount)
          if total > FileRestore.shownFrom { bar.advance(to: Int(done), of: Int(total)) }
        }
      } catch .interrupted {
        break
      } catch {
        note(UserMessage(error), of: version, isCopied: opened.hasWholeCopy(version))
      }
      done = min(start + version.size, total)
    }
    bar.finish()
  }

  private mutating func note(
    _ message: UserMessage, of version: StoredVersion, isCopied: Bool
  ) {
    guard message.code == .dataInvalid || isCopied else {
      unreadable.append(Self.finding(version, message.message))
      return
    }
    damaged.append(
      FileFinding(
        file: (version.label.map { $0.text + "/" } ?? "") + version.name.text, recordID: nil,
        state: isCopied ? .foreign : .unreadable,
        reason: message.message
          + (isCopied ? "; a conflict copy has its contents, and the next change writes them" : ""))
    )
  }

  private static func finding(_ version: StoredVersion, _ reason: String) -> FileFinding {
    FileFinding(
      file: (version.label.map { $0.text + "/" } ?? "") + version.name.text, recordID: nil,
      state: .incomplete, reason: "version \(version.shortName): \(reason)")
  }

  /// The versions that count or are late, and whose contents are not here as a whole.
  package var incomplete: [FileFinding] {
    let counting = rows.flatMap { $0.file.live + $0.file.late }
    return counting.compactMap { version in
      switch version.object {
      case .inline, .here: nil
      case .missing: Self.finding(version, "its contents are not here")
      case .wrongSize: Self.finding(version, "its contents are cut off, or still arriving")
      }
    } + unreadable
  }

  private var unread: Int { unreadable.count }

  /// Damaged files of which no conflict copy has the contents.
  private var lost: Int { damaged.count { $0.state != .foreign } }

  /// Whether contents were read, and some are not what was written, could not be read or are not here.
  package var lacksContents: Bool { lost + unread + absent > 0 }

  /// Whether the backup has neither files nor computers that write them.
  package var isEmpty: Bool { rows.isEmpty && writers.isEmpty && problem == nil }

  package func count(_ state: FileRow.State) -> Int { rows.count { $0.state == state } }

  package var heldBack: Int { rows.reduce(0) { $0 + $1.heldBack } }

  /// Late versions beside one that counts.
  var lateVersions: Int { rows.reduce(0) { $0 + $1.late } }

  package var newest: UInt64? {
    rows.compactMap { $0.state == .removed ? nil : $0.file.newest?.at }.max()
  }

  // MARK: What it means

  /// The codes for the state of the files.
  package var codes: [ExitReason] {
    var codes: [ExitReason] = problem.map { [$0.code] } ?? []
    if lost > 0 { codes.append(.dataInvalid) }
    if writers.contains(where: { $0.missing > 0 }) { codes.append(.rollback) }
    if count(.conflict) + count(.late) + lateVersions + heldBack > 0 { codes.append(.conflict) }
    if isIncomplete { codes.append(.incomplete) }
    return codes
  }

  private var isIncomplete: Bool {
    count(.missing) + count(.incomplete) + unread + absent > 0
      || writers.contains { $0.incomplete > 0 || $0.lacksChanges }
  }

  /// The sentences about files that are empty now and were not before.
  var emptied: [String] {
    let files = rows.map(\.file)
    return files.lazy.compactMap { $0.emptiedAdvice(among: files) }.prefix(5).map {
      "\($0.what). To restore that one: \($0.command)"
    }
  }

  /// The advice about it, a sentence or two each.
  ///
  /// - Parameter isForbidden: whether a folder may not be read: then waiting does not help.
  /// - Returns: the sentences.
  package func advice(isForbidden: Bool) -> [String] {
    var advice = (problem.map { [$0.sentence] } ?? []) + emptied
    if lost > 0 {
      advice.append(
        "the contents of \(counted(lost, "file")) are damaged. Your sync provider may have "
          + "older versions of keybackup/objects.")
    }
    if absent > 0 {
      advice.append(
        "the contents of \(counted(absent, "version")) are not here, or in part.")
    }
    if lost + absent > 0 {
      advice.append(
        "where another version or a conflict copy has the same contents, this writes them once more: "
          + "keybackup file keep NAME VERSION")
    }
    for writer in writers where writer.missing > 0 {
      advice.append(
        "\(counted(writer.missing, "change")) of \"\(PrintableText.name(writer.writer.label.text, limit: 40))\" "
          + "that were here are gone. Check the sync program and its deleted files.")
    }
    if count(.conflict) > 0 {
      advice.append(
        "\(counted(count(.conflict), "file")) with several versions"
          + (lacksContents ? "" : "; all of them are restored")
          + ". To see them: keybackup file list")
      advice.append("to choose one: keybackup file keep NAME VERSION")
    }
    if heldBack > 0 {
      advice.append(
        "a retired computer wrote \(counted(heldBack, "version")), held back. To see them: keybackup "
          + "file history NAME")
      advice.append(
        "to accept one, or to refuse them by keeping the current one: keybackup file keep NAME "
          + "VERSION")
    }
    if count(.late) > 0 {
      advice.append(
        "\(counted(count(.late), "file")) written late, to the backup as it was before its master key "
          + "was rotated. To take one over: keybackup file keep NAME VERSION")
    }
    if lateVersions > 0 {
      advice.append(
        "\(counted(lateVersions, "version")) written late, beside the current one, to the backup as it was "
          + "before its master key was rotated. To see them: keybackup file history NAME")
      advice.append(
        "to choose one, or to stay with the current one: keybackup file keep NAME VERSION")
    }
    if contentsEarlier > 0 {
      advice.append(
        "the contents of \(counted(contentsEarlier, "version")) of files are only in the backup as it "
          + "was before its master key was rotated. To copy them: keybackup key repair")
    }
    let behind = writers.filter { $0.isBehind && !$0.isRetired }
    if !behind.isEmpty {
      let names = behind.prefix(5).map {
        "\"\(PrintableText.name($0.writer.label.text, limit: 40))\""
      }
      advice.append(
        "these computers write without a touch to the backup as it was before its master key was "
          + "rotated: \(names.joined(separator: ", ")). To authorise one again, with your key: "
          + "keybackup writers authorise")
      advice.append("without your key, begin there with: keybackup writers request")
    }
    if isIncomplete, !isForbidden {
      advice.append(
        "some files, or changes of computers that write without a touch, are not all here. Wait, then "
          + "run: keybackup verify --deep")
    }
    return advice
  }

  /// The lines of a report.
  ///
  /// - Parameter now: Unix seconds.
  /// - Returns: none for a backup without files.
  package func lines(at now: Int64) -> [String] {
    if isEmpty { return [] }
    let line = Self.line(count, newest: newest, at: now)
    let active = writers.filter { !$0.isRetired && !$0.isBehind }
    guard !active.isEmpty else { return [line] }
    let names = active.prefix(5).map {
      "\"\(PrintableText.name($0.writer.label.text, limit: 40))\""
    }
    return [
      line,
      "No touch   \(counted(active.count, "computer")): \(names.joined(separator: ", "))"
        + (active.count > 5 ? " and \(active.count - 5) more" : "")
        + (waitingWallets > 0
          ? "; \(counted(waitingWallets, "wallet")) not in the CSPP files yet" : ""),
    ]
  }

  /// The line with the number of files in each state.
  package static func line(_ count: (FileRow.State) -> Int, newest: UInt64?, at now: Int64)
    -> String
  {
    let states: [FileRow.State] = [
      .current, .conflict, .missing, .incomplete, .heldBack, .late, .removed,
    ]
    let counts = states.filter { count($0) > 0 }.map { "\(count($0)) \($0.rawValue)" }
    let line = "Files      " + (counts.isEmpty ? "0" : counts.joined(separator: ", "))
    guard let newest else { return line }
    let days = Int64(exactly: newest).map { (now - $0) / 86_400 } ?? 0
    return line + "; newest version \(PrintableTime.minute(newest))"
      + (days > 0 ? ", \(counted(Int(days), "day")) ago" : "")
  }

  /// The summary as JSON.
  package var json: JSONOutput {
    var counts: JSONOutput = [
      "held-back-versions": .number(heldBack), "late-versions": .number(lateVersions),
    ]
    for state in FileRow.State.allCases { counts[state.rawValue] = .number(count(state)) }
    return [
      "waiting_wallets": .number(waitingWallets),
      "files": counts, "newest_version_at": .optional(newest.flatMap { Int(exactly: $0) }),
      "silent_writers": .array(
        writers.map { writer in
          [
            "writer_id": .string(writer.writer.writerID.hex),
            "label": .string(writer.writer.label.text), "retired": .bool(writer.isRetired),
            "last_at": .optional(writer.newest.flatMap { Int(exactly: $0) }),
          ]
        }),
    ]
  }
}
