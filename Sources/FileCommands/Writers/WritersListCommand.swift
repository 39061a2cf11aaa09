package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import Unlocking

/// `keybackup writers list`: one touch, a row for each computer.
package struct WritersListCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the computers that wrote to the backup.",
    discussion: """
      A computer appears once for every name it wrote under. It takes a new name after it \
      was cloned, reinstalled or set back.
      A second list has the computers that may add files or wallets without a touch.
      """)

  @OptionGroup var unlock: UnlockOptions

  package init() {}

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let opened = try await unlock.open(world)
    let writers = opened.writers
    let silent = opened.silentWriters()
    if unlock.common.json {
      try unlock.output(world).result(json: [
        "writers": .array(writers.map(\.json)), "silent": .array(silent.map(\.json)),
      ])
    } else {
      try unlock.output(world).result(LogWriter.table(writers))
      if !silent.isEmpty {
        try unlock.output(world).result("")
        try unlock.output(world).result(SilentWriterStatus.table(silent))
      }
      if opened.health.afterRetirement > 0 {
        unlock.output(world).note(
          "A retired computer wrote again, or what it wrote before came only now. All of it is "
            + "restored. To accept that: keybackup writers retire COMPUTER")
      }
    }
    return .success
  }
}

extension LogWriter {
  fileprivate var json: JSONOutput {
    [
      "writer_id": .string(id.hex), "label": .string(label), "operations": .number(operations),
      "last_at": .optional(Int(exactly: lastAt)), "this_computer": .bool(isThisComputer),
      "retired": .bool(isRetired), "after_retirement": .number(afterRetirement),
    ]
  }

  fileprivate static func table(_ writers: [LogWriter]) -> Table {
    let ids = ShortID.shown(writers.map(\.id.hex))
    return Table(
      columns: [
        Table.Column("COMPUTER", least: 20), Table.Column("CHANGES", rank: 1),
        Table.Column("LAST", rank: 2), Table.Column("STATE"), Table.Column("WRITER ID"),
      ],
      rows: zip(ids, writers).map { id, writer in
        [
          writer.label.isEmpty ? "-" : PrintableText.name(writer.label, limit: 40),
          String(writer.operations), PrintableTime.minute(writer.lastAt), writer.state, id,
        ]
      })
  }

  private var state: String {
    if isThisComputer { return "this computer" }
    if afterRetirement > 0 { return "retired, wrote again" }
    return isRetired ? "retired" : "-"
  }
}

extension SilentWriterStatus {
  fileprivate var json: JSONOutput {
    [
      "writer_id": .string(writer.writerID.hex), "signing_key": .string(writer.signingKey.hex),
      "label": .string(writer.label.text), "may": .array(writer.may.names.map(JSONOutput.string)),
      "authorised_at": .optional(Int(exactly: authorisedAt)), "operations": .number(operations),
      "last_at": .optional(newest.flatMap { Int(exactly: $0) }), "retired": .bool(isRetired),
      "behind": .bool(isBehind), "gap": .bool(hasGap), "missing": .number(missing),
      "incomplete": .number(incomplete),
      "held_back": .number(undecided),
    ]
  }

  fileprivate static func table(_ writers: [SilentWriterStatus]) -> Table {
    let ids = ShortID.shown(writers.map(\.writer.writerID.hex))
    return Table(
      columns: [
        Table.Column("WITHOUT A TOUCH", least: 20), Table.Column("MAY ADD", rank: 3),
        Table.Column("CHANGES", rank: 1),
        Table.Column("LAST", rank: 2), Table.Column("STATE"), Table.Column("WRITER ID"),
      ],
      rows: zip(ids, writers).map { id, writer in
        [
          PrintableText.name(writer.writer.label.text, limit: 40), writer.writer.may.things,
          String(writer.operations),
          PrintableTime.minute(writer.newest), writer.state, id,
        ]
      })
  }

  private var state: String {
    if undecided > 0 { return "retired, \(undecided) held back" }
    if isRetired { return "retired" }
    if isBehind { return "authorise it again" }
    if missing > 0 { return "\(counted(missing, "change")) missing" }
    return hasGap || incomplete > 0 ? "not all here yet" : "-"
  }
}
