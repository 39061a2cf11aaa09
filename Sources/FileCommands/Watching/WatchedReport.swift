internal import BackupFolder
package import CommandKit
internal import CommandSupport

/// The files that `keybackup file watch` keeps in the backup, for a report that needs no key.
package struct WatchedReport: Sendable {
  private static let mostEmptied = 20

  private let files: [(file: WatchedFile, standing: WatchedFile.Standing)]

  /// - Parameters:
  ///   - folder: the synced folder, as its path was typed.
  ///   - world: what this computer remembers, and its clock.
  package init(_ folder: String, _ world: World) {
    let root = FileCheck.future(folder) ?? folder
    var answers = FolderAnswers()
    files = WatchedFile.of(root, world).map { file in
      // Each of the file systems has this time.
      let end = ContinuousClock.now + .seconds(3)
      let isHeard = answers.come(from: file.path) {
        !Interruption.received && ContinuousClock.now < end
      }
      let standing =
        isHeard
        ? file.standing(now: world.now(), unsavedSince: { file.unsavedSince(world) }) : .unknown
      if standing == .saved { file.forgetUnsaved(world) }
      return (file, standing)
    }
  }

  private func paths(_ standing: WatchedFile.Standing) -> [String] {
    files.filter { $0.standing == standing }.map { ShellWord.quoted($0.file.path) }
  }

  /// The code: some files have been newer than their backup for ten minutes.
  ///
  /// So may those be that only a mount still shows.
  package var codes: [ExitReason] { paths(.late).isEmpty && paths(.dead).isEmpty ? [] : [.partial] }

  /// The advice, a sentence or two each.
  package var advice: [String] {
    let (late, missing, unknown) = (paths(.late), paths(.missing), paths(.unknown))
    var advice: [String] = []
    if let first = late.first {
      advice.append(
        "\(first)" + (late.count > 1 ? " and \(late.count - 1) more watched files have" : " has")
          + " been newer than the backup for ten minutes. To save it: keybackup file watch --once")
    }
    let dead = paths(.dead)
    if let first = dead.first {
      advice.append(
        "\(first)" + (dead.count > 1 ? " and \(dead.count - 1) more watched files were" : " was")
          + " replaced or deleted elsewhere, and only a mount still shows the old file. Mount its folder "
          + "again, or start the container again.")
    }
    for (file, _) in files.prefix(Self.mostEmptied) {
      guard let full = file.fullBehindBlank else { continue }
      let version = full.version.prefix(8)
      let isEmpty = file.saved?.size == 0
      advice.append(
        "\(ShellWord.quoted(file.path)) "
          + (isEmpty ? "was empty" : "held only zero bytes") + " when it was last saved. "
          + (isEmpty ? "Its last version that was not" : "The last version before")
          + (full.size.map { ", of \(PrintableSize.text(UInt64(max(0, $0))))," } ?? "")
          + " is \(version). To restore that: keybackup file restore \(ShellWord.quoted(file.storedName)) "
          + "--version \(version) --out FOLDER")
    }
    if let first = missing.first {
      advice.append(
        "\(first)"
          + (missing.count > 1
            ? " and \(missing.count - 1) more watched files are not there. They are backed up when they are."
            : " is not there as a file. It is backed up when it is."))
    }
    if let first = unknown.first {
      advice.append(
        "\(first)" + (unknown.count > 1 ? " and \(unknown.count - 1) more watched files" : "")
          + " cannot be looked at, because the file system does not answer. Check the network, or "
          + "the program that mounted it.")
    }
    return advice
  }

  /// The lines of a report.
  package var lines: [String] {
    if files.isEmpty { return [] }
    let newest = files.compactMap(\.file.saved?.at).max().flatMap { UInt64(exactly: $0) }
    return [
      "Watched    \(counted(files.count, "file"))"
        + (newest.map { ", last looked at \(PrintableTime.minute($0))" } ?? ", none saved yet")
    ]
  }

  /// The report as JSON.
  package var json: JSONOutput {
    .array(
      files.map { file, standing in
        var json: JSONOutput = [
          "path": .string(file.path), "state": .string(standing.rawValue),
          "saved_at": .optional(file.saved.flatMap { Int(exactly: $0.at) }),
        ]
        if let full = file.fullBehindBlank {
          json["last_not_empty"] = .string(full.version)
        }
        return json
      })
  }
}
