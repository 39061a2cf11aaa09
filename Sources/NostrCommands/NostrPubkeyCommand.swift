package import ArgumentParser
package import CommandKit
internal import Nostr
internal import SecurityKeys

/// `keybackup nostr pubkey`: the npub of one identity.
package struct NostrPubkeyCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "pubkey", abstract: "Print the npub of an identity.",
    discussion: """
      The first time, this computer remembers it. A different key or credential is noticed \
      later.
      """)

  @OptionGroup var keys: NostrKeyOptions
  @OptionGroup var identity: IdentityOptions

  package init() {}

  package mutating func validate() throws {
    try keys.pins.requireOtherInput(than: identity.passphrase.input)
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let input = try identity.input(keys.common, world)
    var found: [DerivedIdentity] = []
    let credential = try await NostrKeys(keys, world).derive([input], expecting: identity, world) {
      input, key throws(UserMessage) in
      found.append(DerivedIdentity(input, key.publicKey))
    }
    try keys.output(world).result(found, credential, keys)
    return .success
  }
}
