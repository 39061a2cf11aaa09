package import BackupFolder
package import CSPP
package import CommandKit

/// The part of a report without a key about files, and about computers that write without a touch.
package struct RememberedFilesReport: Sendable {
  private let memory: StoredFilesMemory?
  /// The number of files that may be changes of such computers, by writer ID.
  private let found: [WriterID: Int]
  private let now: Int64
  /// Whether their folder may not be read.
  private var isForbidden = false

  /// - Parameters:
  ///   - namespace: the backup.
  ///   - own: the writer IDs under which this computer itself writes without a touch.
  ///   - world: what this computer remembers, and its clock.
  package init(_ namespace: Namespace, besides own: Set<WriterID>, _ world: World) {
    memory = StoredFilesMemory.of(namespace.id, world)
    var counts: [WriterID: Int] = [:]
    do throws(BackupFolderError) {
      counts = try namespace.sealedFileCounts()
    } catch .permissionDenied {
      isForbidden = true
    } catch {}
    found = counts.filter { !own.contains($0.key) }
    now = world.now()
  }

  private func count(_ state: FileRow.State) -> Int { memory?.states[state.rawValue] ?? 0 }

  /// The number of files, and of late versions beside a current one, that waited for a person's
  /// decision.
  private var decisions: Int { count(.conflict) + count(.late) + (memory?.lateVersions ?? 0) }

  /// The number of versions that were held back.
  private var heldBack: Int { memory?.heldBackVersions ?? 0 }

  /// The number of changes that this computer has not opened yet; nobody has checked them.
  private var unopened: Int {
    var known: [String: Int] = [:]
    for computer in memory?.computers ?? [] { known[computer.writerID] = computer.operations }
    return found.reduce(0) { $0 + max(0, $1.value - (known[$1.key.hex] ?? 0)) }
  }

  package var codes: [ExitReason] {
    (decisions + heldBack > 0 ? [.conflict] : []) + (isForbidden ? [.permissionDenied] : [])
  }

  /// The advice, a sentence or two each.
  package var advice: [String] {
    var advice: [String] = []
    if isForbidden {
      advice.append(
        "you may not read the changes of computers that write without a touch. Check the owner and "
          + "the permissions of keybackup/sealed in the backup.")
    }
    if decisions > 0 {
      advice.append(
        "\(counted(decisions, "file")) needed your decision when this "
          + "computer last opened the backup. To see them: keybackup file list")
    }
    if heldBack > 0 {
      advice.append(
        "\(counted(heldBack, "version")) of retired computers needed your decision when this "
          + "computer last opened the backup. To see which files have them: keybackup file list")
    }
    advice += (memory?.emptied ?? []).prefix(5).map { PrintableText.cleanLines($0) }
    if let waiting = memory?.waitingWallets, waiting > 0 {
      advice.append(
        "\(counted(waiting, "wallet")) of computers without a key \(waiting == 1 ? "was" : "were") not "
          + "in the CSPP files when this computer last opened the backup. To write them: keybackup "
          + "key repair")
    }
    return advice
  }

  /// The lines of a report; none for a backup without files and such computers.
  package var lines: [String] {
    var lines: [String] = []
    if let memory {
      lines.append(
        FileSummary.line(count, newest: memory.newest, at: now)
          + "; as of \(PrintableTime.minute(UInt64(max(0, memory.at)))), when it was last opened here"
      )
    }
    let active = memory?.computers.filter { !$0.isRetired } ?? []
    if active.isEmpty, unopened == 0 { return lines }
    let names = active.prefix(5).map { "\"\(PrintableText.name($0.label, limit: 40))\"" }
    var parts: [String] = []
    if !active.isEmpty {
      parts.append(
        "\(counted(active.count, "computer")): \(names.joined(separator: ", "))"
          + (active.count > 5 ? " and \(active.count - 5) more" : ""))
    }
    if unopened > 0 { parts.append("\(counted(unopened, "change")) not opened here yet") }
    return lines + ["No touch   " + parts.joined(separator: "; ")]
  }

  /// The part as JSON.
  package var json: JSONOutput {
    var json: JSONOutput = ["unopened_sealed": .number(unopened)]
    guard let memory else { return json }
    var counts: JSONOutput = [
      "held-back-versions": .number(memory.heldBackVersions),
      "late-versions": .number(memory.lateVersions ?? 0),
    ]
    for state in FileRow.State.allCases { counts[state.rawValue] = .number(count(state)) }
    json["files"] = counts
    json["files_as_of"] = .optional(Int(exactly: memory.at))
    json["newest_version_at"] = .optional(memory.newest.flatMap { Int(exactly: $0) })
    json["waiting_wallets"] = .number(memory.waitingWallets)
    return json
  }
}
