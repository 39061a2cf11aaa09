internal import ArgumentParser
internal import BackupFolder
internal import CSPP

/// `keybackup writers list`: one touch, a row for each computer.
struct WritersListCommand: ParsableCommand, KeyBackupCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the computers that wrote to the backup.",
    discussion: """
      A computer appears once for every name it wrote under. It takes a new name after it \
      was cloned, reinstalled or set back.
      """)

  @OptionGroup var unlock: UnlockOptions

  func run(in world: World) async throws(UserMessage) -> ExitCode {
    let opened = try await unlock.open(world)
    let writers = opened.writers
    if unlock.common.json {
      try unlock.output.result(json: ["writers": .array(writers.map(\.json))])
    } else {
      for line in Table.lines([LogWriter.headings] + writers.map(\.cells)) {
        try unlock.output.result(line)
      }
      if opened.health.afterRetirement > 0 {
        unlock.output.note(
          "A retired computer wrote again, or what it wrote before came only now; it is all shown "
            + "and restored. Retire it once more to accept that.")
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

  fileprivate var cells: [String] {
    [
      label.isEmpty ? "-" : PrintableText.clean(label, limit: 40), String(operations),
      PrintableTime.minute(lastAt), state, id.hex,
    ]
  }

  private var state: String {
    if isThisComputer { return "this computer" }
    if afterRetirement > 0 { return "retired, wrote again" }
    return isRetired ? "retired" : "-"
  }

  fileprivate static let headings = ["COMPUTER", "OPERATIONS", "LAST", "STATE", "WRITER ID"]
}
