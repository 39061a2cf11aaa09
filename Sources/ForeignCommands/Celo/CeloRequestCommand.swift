package import ArgumentParser
package import CommandKit
internal import CommandSupport
internal import ForeignBackups
internal import SecretMemory

/// A kind of request to ODIS.
enum CeloRequestKind: String {
  case quota
  case sign
  case disable
}

/// `keybackup foreign celo request`: a signed request, for a service of one's own.
package struct CeloRequestCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "request", abstract: "Print a signed request to ODIS about a Celo file.",
    discussion: """
      Nothing is sent. The key that signs comes from the file's nonce, so anyone who has the file \
      can do the same.
      A message for --kind sign is blinded with BLS12-377, which is not done here.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var input: CeloFileArgument

  @Option(
    help: ArgumentHelp(
      "What is asked: quota (how much is used up), sign (an answer) or disable (none ever again).",
      valueName: "kind"))
  var kind = CeloRequestKind.quota.rawValue

  @Option(help: ArgumentHelp("The number of queries so far.", valueName: "n"))
  var counter: UInt64?

  @Option(help: ArgumentHelp("The blinded message, in base64.", valueName: "base64"))
  var blindedMessage: String?

  @Option(
    help: ArgumentHelp("A name by which an operator finds the request.", valueName: "text"))
  var sessionID: String?

  package init() {}

  package mutating func validate() throws {
    guard let kind = CeloRequestKind(rawValue: kind) else {
      throw ValidationError("--kind is quota, sign or disable")
    }
    if (kind == .sign) != (blindedMessage != nil) {
      throw ValidationError("--kind sign and --blinded-message go together")
    }
    if kind == .sign, counter == nil { throw ValidationError("--kind sign needs --counter") }
    if let counter, counter >= 1 << 53 { throw ValidationError("--counter is below 2^53") }
    if let blindedMessage {
      let text = Array(blindedMessage.utf8)
      guard text.count <= 4096, unsafe Base64.isValid(text.span.bytes, .standard) else {
        throw ValidationError("--blinded-message is base64 with padding, at most 4096 characters")
      }
    }
    if let sessionID, sessionID.utf8.count > 1024 {
      throw ValidationError("--session-id has at most 1024 bytes")
    }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let backup = try input.read(world)
    guard backup.odisDomain != nil else {
      throw UserMessage(
        .dataInvalid,
        "\(ShellWord.quoted(input.file)) has no odisDomain, so there is nothing to ask",
        hint: "ODIS takes no part in its key")
    }
    let request: ODISRequest
    do throws(ForeignBackupError) {
      request = try ODISRequest(asked, for: backup, counter: counter, session: sessionID)
    } catch {
      throw UserMessage(error, in: input.file)
    }
    let output = common.output(world)
    if request.signature == nil {
      output.note("The domain names no address, so the request is not signed.")
    }
    guard common.json else {
      try output.result(jsonText: request.json)
      return .success
    }
    let facts: JSONOutput = [
      "endpoint": .string(request.kind.endpoint), "hash": .string(Hex.string(request.hash)),
      "signer": .optional(backup.odisDomain?.signer?.text),
    ]
    // The body is signed to the letter: it joins as it is.
    try output.result(
      jsonText: String(output.complete(facts).text.dropLast()) + ",\"request\":\(request.json)}")
    return .success
  }

  private var asked: ODISRequest.Kind {
    switch CeloRequestKind(rawValue: kind) {
    case .quota, nil: .quota
    case .disable: .disable
    case .sign: .sign(blindedMessage: blindedMessage ?? "")
    }
  }
}
