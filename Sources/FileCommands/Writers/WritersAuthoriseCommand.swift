package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import Unlocking

/// `keybackup writers authorise`: a computer may add files without a touch.
package struct WritersAuthoriseCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "authorise", abstract: "Let a computer add files or wallets without a touch.",
    discussion: """
      Without LINE it is this computer. Otherwise LINE is what keybackup writers request printed on \
      the other one, and the line printed here goes back there.
      Such a computer adds versions of its own files, or new wallets. It cannot read the backup or \
      change what others wrote.
      """)

  @OptionGroup var unlock: UnlockOptions

  @Argument(
    help: ArgumentHelp("The other computer's request; - for standard input.", valueName: "line"))
  var line: String?

  @OptionGroup var grant: GrantOption
  @OptionGroup var names: WriterLabelOption
  @OptionGroup var picture: QROption

  @Flag(name: [.short, .long], help: "The fingerprint was compared: do not ask.")
  var yes = false

  package init() {}

  package mutating func validate() throws {
    if line == nil, picture.qr { throw ValidationError("--qr goes with LINE") }
    try unlock.requireOtherInput(than: line == "-" ? "-" : nil)
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    guard let line else { return try await authoriseThis(world) }
    let request = try Self.request(WriterLine.read(line, world))
    let label = try names.label.map { _ throws(UserMessage) in try names.label(world) }
    let output = unlock.output(world)
    try compare(request, label ?? request.label, world)
    var opened = try await unlock.backup(world, for: .writing)
      .unlock(unlock, world, orElse: "the computer was not authorised")
    try Interruption.check()
    let made: (answer: String, operation: Operation.Seen)
    let fingerprint: String
    let name = label ?? request.label
    let isNamesake = opened.silentWriters().contains {
      $0.writer.label == name && $0.writer.signingKey != request.signingKey
    }
    if isNamesake {
      output.warn(
        "keybackup: another computer is called \"\(PrintableText.name(name.text))\", too. Files of one "
          + "name are restored side by side then")
      output.warn("hint: for a name of its own, run there: keybackup writers request --label NAME")
    }
    do throws(BackupFolderError) {
      made = try opened.authorise(request, may: grant.permissions, label: label)
    } catch {
      throw UserMessage(error)
    }
    do throws(AuthorisingLineMistake) {
      fingerprint = try WriterAnswer.fingerprint(of: made.answer, to: request)
    } catch {
      throw WriterLine.message(error, isRequest: false)
    }
    // A request that was authorised before keeps what it was given then.
    let known = opened.silentWriters().first { $0.writer.writerID == request.writerID }?.writer
    let granted = known?.may ?? grant.permissions
    let finalLabel = known?.label ?? label ?? request.label
    let shown = PrintableText.name(finalLabel.text)
    guard granted == grant.permissions || grant.may == nil else {
      throw UserMessage(
        .cannotCreate,
        "\"\(shown)\" was authorised already, to add \(granted.things); nothing was changed",
        hint: "to get the same answer once more, leave out --may\n"
          + "to let it do more, run there: keybackup writers request --new-key")
    }
    guard label == nil || label == finalLabel else { throw Self.hasLabel(finalLabel) }
    let change =
      "\"\(shown)\" was authorised all the same; to take it back: keybackup writers retire"
    if unlock.common.json {
      var json = Self.json(request, finalLabel, granted)
      json["line"] = .string(made.answer)
      json["fingerprint"] = .string(fingerprint)
      json["request_fingerprint"] = .string(request.fingerprint)
      json["this_computer"] = false
      try output.result(json: json, ofChange: change)
      return .success
    }
    output.note("\"\(shown)\" may add \(granted.things) now, as soon as it has this line:")
    do throws(UserMessage) {
      try output.result(writerLine: made.answer, next: "accept", showsPicture: picture.qr)
    } catch {
      throw UserMessage(error.code, error.message, hint: change)
    }
    output.note("Both computers show the answer's fingerprint: \(fingerprint)")
    return .success
  }

  /// The message where a computer has another label already: it is in what the computer writes.
  private static func hasLabel(_ label: PathComponent) -> UserMessage {
    UserMessage(
      .cannotCreate,
      "it was authorised as \"\(PrintableText.name(label.text))\" already; nothing was changed",
      hint: "leave out --label, or end it first: keybackup writers retire")
  }

  /// Reads a request before any key is asked for.
  private static func request(_ line: String) throws(UserMessage) -> WriterRequest {
    do throws(AuthorisingLineMistake) {
      return try WriterRequest(parsing: line)
    } catch {
      throw WriterLine.message(error, isRequest: true)
    }
  }

  /// Shows the request's fingerprint, and asks whether the other computer shows it.
  private func compare(
    _ request: WriterRequest, _ label: PathComponent, _ world: World
  ) throws(UserMessage) {
    let output = unlock.output(world)
    let name = "\"\(PrintableText.name(label.text))\""
    let prompter = unlock.common.prompter(world)
    guard !yes else {
      output.note("The fingerprint of the request of \(name): \(request.fingerprint)")
      return
    }
    guard prompter.canAsk else { throw WriterLine.nobodyCompares(request.fingerprint) }
    prompter.tell(
      "\(name) asks to add \(grant.permissions.things) without a touch. Its request has the fingerprint "
        + "\(request.fingerprint)")
    guard try prompter.confirm("Does it show the same there?") else {
      throw UserMessage(
        .denied, "not confirmed; the computer was not authorised",
        hint: "if the fingerprints differ, somebody exchanged the line: bring it in another way")
    }
  }

  private static func json(
    _ request: WriterRequest, _ label: PathComponent, _ may: SilentWriter.Permissions
  ) -> JSONOutput {
    [
      "writer_id": .string(request.writerID.hex), "signing_key": .string(request.signingKey.hex),
      "label": .string(label.text), "may": .array(may.names.map(JSONOutput.string)),
    ]
  }

  // MARK: This computer

  private func authoriseThis(_ world: World) async throws(UserMessage) -> ExitReason {
    let output = unlock.output(world)
    let wanted = try names.label(world)
    let backup = try await unlock.backup(world, for: .writing)
    var opened = try await backup.unlock(
      unlock, world, orElse: "this computer was not authorised")
    try Interruption.check()
    let folder = backup.folder
    let active = try Self.active(in: folder, of: opened)
    // What it may already, it goes on with under the same key.
    let may = active.reduce(grant.permissions) { $0.subtracting($1.may) }
    if may.isEmpty, let known = active.last {
      guard names.label == nil || wanted == known.label else { throw Self.hasLabel(known.label) }
      return try tell(known, output)
    }
    let before: LocalSilentWriter?
    do throws(BackupFolderError) {
      before = try Self.before(in: folder, of: opened)
    } catch {
      throw UserMessage(error)
    }
    let label = try names.label(world, continuing: before)
    let request: WriterRequest
    do throws(BackupFolderError) {
      request = try folder.requestSilentWriting(label: label, continuing: before)
      let made: (answer: String, operation: Operation.Seen)
      do throws(BackupFolderError) {
        made = try opened.authorise(request, may: may)
      } catch {
        // Nobody answers this request any more.
        try? folder.forgetSilentWriter(request.writerID)
        throw error
      }
      try folder.forgetSilentWriters(before: folder.acceptSilentWriting(made.answer))
    } catch {
      throw UserMessage(error)
    }
    KeptPermissions.check(secretOf: request.writerID, folder, world)
    var json = Self.json(request, label, may)
    json["this_computer"] = true
    json["changed"] = true
    try output.result(
      "This computer may add \(may.things) without a touch now, as "
        + "\"\(PrintableText.name(label.text))\".",
      json: json, ofChange: "this computer was authorised all the same")
    if !unlock.common.json { output.note(howToAdd: may) }
    return .success
  }

  /// The silent writers that this computer is already, without retired ones.
  private static func active(
    in folder: BackupFolder, of opened: borrowing OpenNamespace
  ) throws(UserMessage) -> [LocalSilentWriter] {
    let active = Set(opened.silentWriters().filter { !$0.isRetired }.map(\.writer.writerID))
    let id = opened.id
    do throws(BackupFolderError) {
      return try folder.localSilentWriters().filter {
        $0.namespaceID == id && active.contains($0.writerID)
      }
    } catch {
      throw UserMessage(error)
    }
  }

  /// The silent writer that this computer was before the master key was rotated; nil: it was none,
  /// or was retired.
  private static func before(
    in folder: BackupFolder, of opened: borrowing OpenNamespace
  ) throws(BackupFolderError) -> LocalSilentWriter? {
    let behind = Set(
      opened.silentWriters().filter { $0.isBehind && !$0.isRetired }.map(\.writer.signingKey))
    return try folder.localSilentWriters().filter {
      $0.namespaceID != nil && behind.contains($0.signingKey)
    }.continued
  }

  /// Says that this computer is a silent writer already.
  private func tell(
    _ writer: LocalSilentWriter, _ output: Output
  ) throws(UserMessage) -> ExitReason {
    try output.result(
      "This computer may add \(writer.may.things) without a touch already, as "
        + "\"\(PrintableText.name(writer.label.text))\".",
      json: [
        "writer_id": .string(writer.writerID.hex), "signing_key": .string(writer.signingKey.hex),
        "label": .string(writer.label.text),
        "may": .array(writer.may.names.map(JSONOutput.string)), "this_computer": true,
        "changed": false,
      ], ofChange: "nothing was changed")
    return .success
  }
}
