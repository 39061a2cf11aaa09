internal import ArgumentParser
package import CommandKit
internal import PRFDevice
internal import SecurityKeys

/// The options of every command that derives a Nostr key.
package struct NostrKeyOptions: ParsableArguments {
  @OptionGroup var common: CommonOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var pins: PINOptions
  @OptionGroup var folder: FolderOptions

  @Option(help: ArgumentHelp("Relying party ID of the credential.", valueName: "id"))
  var rpId = NostrRelyingParty.standard

  @Option(
    help: ArgumentHelp(
      "The credential (default: the known one, else the discoverable one).",
      valueName: "id"))
  var credential: String?

  @Flag(help: "Take an unknown credential: it is another identity.")
  var newIdentity = false

  package init() {}

  package mutating func validate() throws { try folder.refuseNamespace() }

  package func output(_ world: World) -> Output { common.output(world) }

  /// Finds a security key as these options say.
  func finder(_ world: World) throws(UserMessage) -> AuthenticatorFinder {
    try AuthenticatorFinder(common, device, pins, world)
  }
}

/// The relying party of Nostr credentials.
enum NostrRelyingParty {
  /// The default, which is not a valid host name, so that no web page can request its secrets.
  ///
  /// A web page's identity has that page's host name here.
  static let standard = "keybackup-nostr:"
}
