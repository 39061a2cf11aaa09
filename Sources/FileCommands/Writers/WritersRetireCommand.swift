package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import Unlocking

/// `keybackup writers retire`: a computer writes no more.
package struct WritersRetireCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "retire", abstract: "Say that a computer no longer writes to the backup.",
    discussion: """
      What it wrote stays. What a computer without a touch writes after that is held back until \
      you accept it. This cannot be undone: its key never returns. It can be authorised again by a \
      new request.
      If a computer that opens the backup writes again, that is shown, restored and reported. \
      Retiring it does not keep it from reading. For that, remove its security key with keybackup \
      key remove.
      """)

  @OptionGroup var unlock: UnlockOptions

  @Argument(
    help: ArgumentHelp(
      "The computer's writer ID or name, from writers list.", valueName: "computer"))
  var computer: String

  @OptionGroup var gaps: GapOption

  @Flag(name: [.short, .long], help: "Do not ask. Without a terminal nobody is asked.")
  var yes = false

  package init() {}

  package mutating func validate() throws {
    if computer.trimmed.isEmpty {
      throw ValidationError("name the computer, as keybackup writers list shows it")
    }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    var opened = try await unlock.open(world, for: .writing)
    let silent = opened.silentWriters()
    let meant = Self.meant(opened.writers, computer)
    if let key = try Self.key(silent, besides: meant, computer) {
      return try retire(key, silent, &opened, world)
    }
    let writer = try Self.only(meant, computer)
    let name = PrintableText.name(writer.label.isEmpty ? writer.id.shortName : writer.label)
    let isChange = !writer.isRetired || writer.afterRetirement > 0
    if isChange {
      try confirm(
        "Retire \"\(name)\"? What it writes after that is shown and reported. This cannot be undone.",
        world)
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

  /// Asks whether to retire a computer.
  ///
  /// A script means what it says.
  ///
  /// - Throws: `denied`.
  private func confirm(_ question: String, _ world: World) throws(UserMessage) {
    try Interruption.check()
    let prompter = unlock.common.prompter(world)
    guard !yes, prompter.canAsk else { return }
    guard try prompter.confirm(question) else {
      throw UserMessage(.denied, "not confirmed; nothing was changed")
    }
  }

  /// The one computer that is meant: by its writer ID, else by the start of that or by its name.
  ///
  /// - Throws: `no-input` for none, `ambiguous` for several.
  private static func only(
    _ meant: [LogWriter], _ selector: String
  ) throws(UserMessage) -> LogWriter {
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

  private static func meant(_ writers: [LogWriter], _ selector: String) -> [LogWriter] {
    let whole = writers.filter { $0.id.hex == selector }
    return whole.isEmpty
      ? writers.filter { $0.label == selector || ShortID.matches(selector.lowercased(), $0.id.hex) }
      : whole
  }

  // MARK: Computers without a touch

  /// The key of the silent writer that is meant; nil: another kind of computer is.
  ///
  /// - Throws: `ambiguous` where several are.
  private static func key(
    _ silent: [SilentWriterStatus], besides others: [LogWriter], _ selector: String
  ) throws(UserMessage) -> SigningKey? {
    let digits = selector.lowercased()
    let found = silent.filter {
      $0.writer.label.text == selector || ShortID.matches(digits, $0.writer.writerID.hex)
        || ShortID.matches(digits, $0.writer.signingKey.hex)
    }
    // What was retired before is not meant by its name if another one still writes.
    let active = found.filter { !$0.isRetired }
    let keys = Set((active.isEmpty ? found : active).map(\.writer.signingKey))
    guard let key = keys.first else { return nil }
    guard keys.count == 1, others.isEmpty else {
      let ids = found.map(\.writer.writerID.hex) + others.map(\.id.hex)
      throw UserMessage(
        .ambiguous,
        "\(ids.count) computers have the name, or an ID that begins with it: "
          + "\"\(PrintableText.name(selector))\"",
        hint: "name one by its writer ID: " + ShortID.shown(ids).joined(separator: ", "))
    }
    return key
  }

  /// Retires a key under every writer ID that it has.
  private func retire(
    _ key: SigningKey, _ silent: [SilentWriterStatus], _ opened: inout OpenNamespace, _ world: World
  ) throws(UserMessage) -> ExitReason {
    let own = silent.filter { $0.writer.signingKey == key }
    let writer = own[own.count - 1].writer
    let isNew = own.contains { !$0.isRetired }
    let name = PrintableText.name(writer.label.text)
    if isNew {
      try confirm(
        "Retire \"\(name)\"? What it writes after that is held back. This cannot be undone: its key "
          + "never returns.", world)
      do throws(BackupFolderError) {
        try opened.retire(key, despiteGaps: gaps.despiteGaps)
      } catch {
        throw gaps.explained(error)
      }
    }
    // If it is this computer, it writes without a touch no longer.
    opened.rememberFiles(world)
    try unlock.output(world).result(
      isNew ? "Retired \"\(name)\"." : "\"\(name)\" was retired before.",
      json: [
        "writer_id": .string(writer.writerID.hex), "signing_key": .string(key.hex),
        "label": .string(writer.label.text), "silent": true, "changed": .bool(isNew),
      ], ofChange: "\"\(name)\" was retired all the same")
    if isNew, !unlock.common.json {
      unlock.output(world).note(
        "What it wrote until now stays. What it writes from now on is held back.")
    }
    return .success
  }
}
