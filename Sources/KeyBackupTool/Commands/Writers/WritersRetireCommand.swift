internal import ArgumentParser
internal import BackupFolder
internal import CSPP

/// `keybackup writers retire`: a computer writes no more.
struct WritersRetireCommand: ParsableCommand, KeyBackupCommand {
  static let configuration = CommandConfiguration(
    commandName: "retire", abstract: "Say that a computer no longer writes to the backup.",
    discussion: """
      What it wrote stays. If it writes again, that is shown, restored and reported.
      Retiring a lost computer does not keep it from reading. For that, remove its security \
      key with keybackup key remove.
      """)

  @OptionGroup var unlock: UnlockOptions

  @Argument(
    help: ArgumentHelp(
      "The computer's writer ID or name, from writers list.", valueName: "computer"))
  var computer: String

  mutating func validate() throws {
    if computer.trimmed.isEmpty {
      throw ValidationError("name the computer, as keybackup writers list shows it")
    }
  }

  func run(in world: World) async throws(UserMessage) -> ExitCode {
    var opened = try await unlock.open(world, for: .writing)
    let writer = try Self.only(opened.writers, computer)
    let name = PrintableText.name(writer.label.isEmpty ? writer.id.shortName : writer.label)
    let isChange = !writer.isRetired || writer.afterRetirement > 0
    if isChange {
      do throws(BackupFolderError) {
        try opened.retire(writer.id)
      } catch {
        throw UserMessage(error)
      }
    }
    try unlock.output(world).result(
      isChange ? "Retired \"\(name)\"." : "\"\(name)\" was retired before.",
      json: [
        "writer_id": .string(writer.id.hex), "label": .string(writer.label),
        "changed": .bool(isChange),
      ], ofChange: "\"\(name)\" was retired all the same")
    if writer.isThisComputer, !unlock.common.json {
      unlock.output(world).note("This is this computer. It writes under a new ID from now on.")
    }
    return .success
  }

  /// The one computer that is meant: by its writer ID, else by the start of that or by its name.
  ///
  /// - Throws: `no-input` for none, `ambiguous` for several.
  private static func only(
    _ writers: [LogWriter], _ selector: String
  ) throws(UserMessage) -> LogWriter {
    let whole = writers.filter { $0.id.hex == selector }
    let meant =
      whole.isEmpty
      ? writers.filter { $0.label == selector || ShortID.matches(selector.lowercased(), $0.id.hex) }
      : whole
    guard let first = meant.first else {
      throw UserMessage(
        .noInput, "no computer \"\(PrintableText.name(selector))\" has written here",
        hint: ShortID.shortHint(selector) + "to see which have: keybackup writers list")
    }
    guard meant.count == 1 else {
      throw UserMessage(
        .ambiguous,
        "\(meant.count) computers have the name, or an ID that begins with it: "
          + "\"\(PrintableText.name(selector))\"",
        hint: "name one by its writer ID: "
          + ShortID.shown(meant.map(\.id.hex)).joined(separator: ", "))
    }
    return first
  }
}
