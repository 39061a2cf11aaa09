package import ArgumentParser
package import CommandKit
internal import ForeignBackups
internal import SecretMemory
internal import SecurityKeys

/// `keybackup foreign world reset-proof`: proves to World's server that one has the root secret.
package struct WorldResetProofCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "reset-proof", abstract: "Sign a challenge with the key of the backup account.",
    discussion: """
      Prints an ECDSA signature in base64. World's server takes it as proof for one thing: to delete \
      the whole backup, so that the app can start a new one. It recovers nothing.
      file: and - give the bytes that are signed. What the server sent in base64 has to be decoded \
      first.
      """)

  @OptionGroup var root: WorldRootOptions

  @Option(
    help: ArgumentHelp(
      "What to sign: base64:..., hex:..., file:PATH or -.",
      valueName: "challenge"))
  var challenge: String

  package init() {}

  package mutating func validate() throws {
    if challenge == "-" {
      if root.input != nil {
        throw ValidationError("only one input can come from standard input")
      }
      try root.pins.requireOtherInput(than: challenge)
    }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let bytes = try challenge(world.streams)
    let key = try await root.accountKey(world)
    let signature = Base64.string(key.sign(bytes), .standard)
    let output = root.common.output(world)
    if root.common.json {
      try output.result(json: [
        "account_id": .string(key.id), "signature": .string(signature),
      ])
    } else {
      try output.result(signature)
    }
    output.note(
      "With this, World's server deletes the backup of \(key.id). Get everything out of it first.")
    return .success
  }

  /// The bytes to sign.
  ///
  /// Plain text is not taken as an argument: base64 without its prefix would be signed as letters,
  /// unnoticed. A file and standard input are bytes, so the same may happen there; the help says it.
  private func challenge(_ streams: Streams) throws(UserMessage) -> [UInt8] {
    guard challenge == "-" || ["base64:", "hex:", "file:"].contains(where: challenge.hasPrefix)
    else {
      throw UserMessage(
        .usage, "the challenge does not say how it is written",
        hint: "put base64: before what the server sent; or hex:, or file: and a path")
    }
    let bytes: [UInt8]? =
      if challenge == "-" {
        try InputFile.read("-", limit: SaltArgument.limit, streams)
      } else if let path = challenge.dropping(prefix: "file:") {
        try InputFile.readFile(String(path), limit: SaltArgument.limit)
      } else if let digits = challenge.dropping(prefix: "hex:") {
        LenientDecoding.hex(digits)
      } else {
        challenge.dropping(prefix: "base64:").flatMap { LenientDecoding.base64($0) }
      }
    guard let bytes, !bytes.isEmpty else {
      throw UserMessage(
        .usage, "the challenge is empty, or not written as its prefix says",
        hint: "copy it again, all of it")
    }
    return bytes
  }
}
