package import ArgumentParser
package import CommandKit
internal import Nostr
internal import SecretMemory
internal import SecurityKeys

/// `keybackup nostr sign`: signs one event.
package struct NostrSignCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "sign", abstract: "Sign a Nostr event.",
    discussion: """
      The event is a JSON object with kind and content (NIP-01). tags, created_at and pubkey \
      may be there too.
      The signed event is printed. The secret key never leaves this program.
      """)

  @OptionGroup var keys: NostrKeyOptions
  @OptionGroup var identity: IdentityOptions

  @Argument(help: ArgumentHelp("The event's file (default: standard input).", valueName: "file"))
  var file = "-"

  package init() {}

  package mutating func validate() throws {
    try keys.pins.requireOtherInput(than: file, identity.passphrase.input)
    if file == "-", identity.passphrase.input == "-" {
      throw ValidationError("the event and the passphrase cannot both come from standard input")
    }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    // What is wrong with the event is found before the key is touched.
    let text = try InputFile.readSecret(
      file, limit: NostrEvent.maximumSize, asking: "event", keys.common.prompter(world))
    let event: NostrEvent
    do throws(NostrError) {
      event = try text.withBytes { (text) throws(NostrError) in try NostrEvent(parsing: text) }
    } catch {
      throw UserMessage(error)
    }
    let input = try identity.input(keys.common, world)
    let now = UInt64(max(0, world.now()))
    var signed = ""
    try await NostrKeys(keys, world).derive([input], expecting: identity, world) {
      _, key throws(UserMessage) in
      do throws(NostrError) {
        signed = try event.signed(by: key, at: now)
      } catch {
        throw UserMessage(error)
      }
    }
    try keys.output(world).result(
      jsonText: keys.common.json ? "{\"event\":\(signed),\"schema\":1}" : signed)
    return .success
  }
}
