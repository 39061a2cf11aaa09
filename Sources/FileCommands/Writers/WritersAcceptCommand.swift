package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import Unlocking

/// `keybackup writers accept`: the answer to this computer's request.
package struct WritersAcceptCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "accept", abstract: "Accept the answer to this computer's request.",
    discussion: """
      LINE is what keybackup writers authorise printed. It is sealed to this computer's request: \
      nobody else can use it.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var folder: FolderOptions

  @Argument(help: ArgumentHelp("The answer; - for standard input.", valueName: "line"))
  var line: String

  @Flag(name: [.short, .long], help: "The fingerprint was compared: do not ask.")
  var yes = false

  package init() {}

  package mutating func validate() throws { try folder.refuseNamespace() }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let output = common.output(world)
    let line = try WriterLine.read(line, world)
    let place = try folder.opened(world, output, common)
    let (request, fingerprint) = try Self.fingerprint(of: line, in: place)
    let prompter = common.prompter(world)
    if !yes {
      guard prompter.canAsk else { throw WriterLine.nobodyCompares(fingerprint) }
      prompter.tell("The answer has the fingerprint \(fingerprint)")
      guard try prompter.confirm("Does the other computer show the same?") else {
        throw UserMessage(
          .denied, "not confirmed; the answer was not accepted",
          hint:
            "if the fingerprints differ, somebody exchanged a line. Where your key is, retire this "
            + "computer: keybackup writers retire COMPUTER")
      }
    }
    let writer: LocalSilentWriter
    do throws(BackupFolderError) {
      writer = try place.acceptSilentWriting(line)
      try place.forgetSilentWriters(before: writer)
    } catch {
      throw UserMessage(error)
    }
    KeptPermissions.check(secretOf: writer.writerID, place, world)
    try output.result(
      "This computer may add \(writer.may.things) without a touch now, as "
        + "\"\(PrintableText.name(writer.label.text))\".",
      json: [
        "namespace_id": .optional(writer.namespaceID?.hex),
        "writer_id": .string(writer.writerID.hex), "signing_key": .string(writer.signingKey.hex),
        "label": .string(writer.label.text),
        "may": .array(writer.may.names.map(JSONOutput.string)),
        "fingerprint": .string(fingerprint), "request_fingerprint": .string(request.fingerprint),
      ], ofChange: "the answer was accepted all the same")
    if !common.json {
      output.note("The answer's fingerprint: \(fingerprint)")
      output.note(howToAdd: writer.may)
    }
    return .success
  }

  /// The request that the line answers, and the answer's fingerprint.
  private static func fingerprint(
    of line: String, in folder: BackupFolder
  ) throws(UserMessage) -> (WriterRequest, String) {
    let request: WriterRequest?
    let isAsking: Bool
    do throws(BackupFolderError) {
      request = try folder.request(answeredBy: line)
      isAsking = try !folder.localSilentWriters().isEmpty
    } catch .silentWriter(.line(let mistake)) {
      throw WriterLine.message(mistake, isRequest: false)
    } catch {
      throw UserMessage(error)
    }
    guard let request else {
      if isAsking { throw WriterLine.message(.otherRequest, isRequest: false) }
      throw UserMessage(
        .noInput, "this computer has made no request for this folder",
        hint: "make one here, and take it along: keybackup writers request")
    }
    do throws(AuthorisingLineMistake) {
      return (request, try WriterAnswer.fingerprint(of: line, to: request))
    } catch {
      throw WriterLine.message(error, isRequest: false)
    }
  }
}
