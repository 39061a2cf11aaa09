package import ArgumentParser
package import CommandKit
package import Nostr
package import PRFDevice
internal import SecurityKeys

/// `keybackup nostr derive`: the npubs of several identities, two a touch.
package struct NostrDeriveCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "derive", abstract: "Print the npubs of numbered or passphrase identities.",
    discussion: """
      --index may be repeated: two identities take one touch.
      Nothing is kept of an identity with a passphrase, here or on the key.
      """)

  @OptionGroup var keys: NostrKeyOptions

  @Option(help: ArgumentHelp("The identity with this number.", valueName: "n"))
  var index: [UInt32] = []

  @OptionGroup var passphrase: PassphraseOptions

  package init() {}

  package mutating func validate() throws {
    for number in index { try IndexCheck.check(number) }
    guard !index.isEmpty || passphrase.isGiven else {
      throw ValidationError("name an identity with --index or --passphrase")
    }
    guard Set(index).count == index.count else {
      throw ValidationError("an identity's number is given twice")
    }
    guard index.count <= 100 else { throw ValidationError("at most 100 numbers at a time") }
    try keys.pins.requireOtherInput(than: passphrase.input)
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    var inputs = index.map(IdentityInput.index)
    if passphrase.isGiven {
      inputs.append(.passphrase(try passphrase.read(keys.common, world, twice: true)))
    }
    var found: [DerivedIdentity] = []
    let credential = try await NostrKeys(keys, world).derive(inputs, world) {
      input, key throws(UserMessage) in
      found.append(DerivedIdentity(input, key.publicKey))
    }
    try keys.output(world).result(found, credential, keys)
    return .success
  }
}

/// An identity that was just derived.
package struct DerivedIdentity {
  let name: IdentityInput.Name
  let publicKey: NostrPublicKey

  package init(_ input: IdentityInput, _ publicKey: NostrPublicKey) {
    name = input.name
    self.publicKey = publicKey
  }

  /// The identity as JSON.
  package var json: JSONOutput {
    var json: JSONOutput = [
      "npub": .string(NIP19.npub(publicKey)), "public_key": .string(publicKey.hex),
    ]
    if case .index(let index) = name { json["index"] = .number(Int(index)) }
    return json
  }
}

extension Output {
  /// Prints identities, one npub a line.
  package func result(
    _ identities: [DerivedIdentity], _ credential: CredentialID, _ keys: NostrKeyOptions
  ) throws(UserMessage) {
    guard json else {
      for identity in identities { try result(NIP19.npub(identity.publicKey)) }
      return
    }
    try result(json: [
      "identities": .array(identities.map(\.json)), "rp_id": .string(keys.rpId),
      "credential_id": .string(CredentialIDArgument.encode(credential.bytes)),
    ])
  }
}
