package import BackupFolder
internal import CSPP
package import CommandKit

/// A file of the backup as a row of a table or an object of JSON.
package struct FileRow: Sendable {
  package let file: BackedUpFile

  package init(_ file: BackedUpFile) { self.file = file }

  /// The state of a file, as one word.
  package enum State: String, CaseIterable, Sendable {
    case current
    /// Several versions with different contents count.
    case conflict
    /// The contents of the version that counts are not here.
    case missing
    /// The contents of the version that counts are here in part.
    case incomplete
    /// No version counts any more.
    case removed
    /// A retired computer wrote all versions.
    case heldBack = "held-back"
    /// It was written to the backup as it was before its master key was rotated.
    case late
  }

  /// The name of the file, safe to show.
  package var name: String { PrintableText.name(text, limit: 80) }
  /// The name of the file as it is.
  package var text: String { file.newest?.name.text ?? "-" }
  /// The name of the computer that it belongs to; nil: it has none that can name a folder.
  package var label: String? { file.newest?.label?.text }

  package var state: State {
    if file.isConflicted { return .conflict }
    if !file.live.isEmpty {
      // Several have the same contents.
      let states = Set(file.live.map(\.object))
      if states.contains(.inline) || states.contains(.here) { return .current }
      return states.contains(.wrongSize) ? .incomplete : .missing
    }
    let standings = Set(file.versions.map(\.standing))
    if standings.contains(.late) { return .late }
    return standings == [.heldBack] ? .heldBack : .removed
  }

  /// Versions that a person may still choose: they came from a retired computer.
  package var heldBack: Int { file.heldBack.count }

  /// Versions beside the one that counts that were written to an earlier backup.
  package var late: Int { state == .late ? 0 : file.late.count }

  package var json: JSONOutput {
    var json: JSONOutput = [
      "file_id": .string(file.id.hex), "name": .string(text), "computer": .optional(label),
      "versions": .number(file.versions.count), "dropped": .number(file.dropped),
      "held_back": .number(heldBack), "late": .number(late),
      "size": .optional(file.newest.flatMap { Int(exactly: $0.size) }),
      "modified": .optional(file.newest.flatMap { Int(exactly: $0.modified) }),
      "at": .optional(file.newest.flatMap { Int(exactly: $0.at) }),
      "version": .optional(file.newest?.operation.digest.hex), "state": .string(state.rawValue),
    ]
    if let full = file.lastNotEmpty { json["last_not_empty"] = .string(full.operation.digest.hex) }
    return json
  }

  package static func table(_ rows: [FileRow]) -> Table {
    let ids = ShortID.shown(rows.map(\.file.id.hex))
    return Table(
      columns: [
        Table.Column("FILE", least: 20), Table.Column("COMPUTER", least: 10, rank: 5),
        Table.Column("VERSIONS", rank: 3), Table.Column("SIZE", rank: 2),
        Table.Column("WRITTEN", rank: 4), Table.Column("STATE"), Table.Column("ID", rank: 1),
      ],
      rows: zip(rows, ids).map { row, id in
        [
          row.name, row.label.map { PrintableText.name($0, limit: 40) } ?? "-",
          String(row.file.versions.count),
          row.file.newest.map { PrintableSize.text($0.size) } ?? "-",
          PrintableTime.minute(row.file.newest?.at),
          row.state.rawValue + (row.late > 0 ? ", late" : "")
            + (row.heldBack > 0 && row.state != .heldBack ? ", held-back" : ""),
          id,
        ]
      })
  }
}

extension BackedUpFile {
  /// The newest version that was not empty and not all zero bytes, where every version that counts is.
  var lastNotEmpty: StoredVersion? {
    guard !live.isEmpty, versions.contains(where: { $0.size > 0 && $0.standing == .replaced }),
      live.allSatisfy(\.isBlank)
    else { return nil }
    return versions.first { $0.standing == .replaced && !$0.isBlank }
  }
}

extension StoredVersion {
  /// The word for the state of a version: it is current, or the effect of others on it.
  package func word(in file: BackedUpFile) -> String {
    standing == .live ? (file.isConflicted ? "conflict" : "current") : standing.rawValue
  }

  /// The version as JSON.
  package func json(in file: BackedUpFile) -> JSONOutput {
    [
      "version": .string(operation.digest.hex), "name": .string(name.text),
      "computer": .optional(label?.text), "silent": .bool(by != nil),
      "at": .optional(Int(exactly: at)), "modified": .optional(Int(exactly: modified)),
      "size": .optional(Int(exactly: size)), "mode": .number(Int(mode)),
      "content": .string(content.hex), "state": .string(word(in: file)),
      "object": .string(object.rawValue), "refused": .bool(isRefused),
    ]
  }

  /// All versions of a file in a table, newest first.
  package static func table(_ file: BackedUpFile) -> Table {
    let ids = ShortID.shown(file.versions.map(\.operation.digest.hex))
    return Table(
      columns: [
        Table.Column("VERSION"), Table.Column("WRITTEN"), Table.Column("FILE CHANGED", rank: 2),
        Table.Column("SIZE", rank: 3), Table.Column("BY", least: 10, rank: 1),
        Table.Column("STATE"),
      ],
      rows: zip(file.versions, ids).map { version, id in
        let lacking = version.object == .missing || version.object == .wrongSize
        return [
          id, PrintableTime.minute(version.at), PrintableTime.minute(version.modified),
          PrintableSize.text(version.size),
          version.label.map { PrintableText.name($0.text, limit: 40) } ?? "-",
          (version.isRefused ? "refused" : version.word(in: file))
            + (lacking ? ", contents not here" : ""),
        ]
      })
  }
}
