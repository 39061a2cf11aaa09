package import ArgumentParser
package import CommandKit
internal import Nostr
internal import PRFDevice
internal import SecurityKeys

/// `keybackup nostr create`: a credential, and the identity it gives.
package struct NostrCreateCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create a credential for Nostr and print its npub.",
    discussion: """
      Takes two touches: one makes the credential, one derives the identity.
      The credential takes a slot of the key. If anything goes wrong it is removed again.
      """)

  @OptionGroup var keys: NostrKeyOptions

  package init() {}

  package mutating func validate() throws {
    if keys.credential != nil { throw ValidationError("create makes a credential of its own") }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    try DeriveRelyingParty.check(keys.rpId)
    let memory = try NostrMemory(world)
    let known = try memory.identities().filter { $0.rpID == keys.rpId }
    let key = try await keys.finder(world).chosenKey("to make the identity on")
    try await key.offerPIN()
    try await key.requirePRF()
    if !keys.newIdentity { try await refuse(known, on: key) }
    let credential = try await key.create(
      CredentialRequest(
        rpID: keys.rpId, rpName: keys.rpId, userName: "nostr", userDisplayName: "nostr",
        isDiscoverable: true, protection: .userVerificationOptionalWithCredentialID),
      why: "1 of 2: makes the credential")
    let publicKey: NostrPublicKey
    do throws(UserMessage) {
      publicKey = try await identity(of: credential.id, on: key)
      try memory.remember([
        NostrIdentity(
          rpID: keys.rpId, credentialID: credential.id.bytes, index: nil, publicKey: publicKey)
      ])
    } catch {
      throw await removed(credential.id, on: key, error)
    }
    let id = CredentialIDArgument.encode(credential.id.bytes)
    let npub = NIP19.npub(publicKey)
    try keys.output(world).result(
      npub,
      json: [
        "npub": .string(npub), "public_key": .string(publicKey.hex),
        "credential_id": .string(id), "rp_id": .string(keys.rpId),
      ],
      ofChange: "the identity \(npub) was made all the same")
    return .success
  }

  /// A second credential of one relying party on one key makes every later use
  /// ambiguous: only on purpose.
  private func refuse(_ known: [NostrIdentity], on key: OpenAuthenticator) async throws(UserMessage)
  {
    let questions = Set(known.map(\.credentialID)).map {
      UnlockQuestion(rpID: keys.rpId, credentialID: CredentialID($0), salt: [])
    }
    guard !questions.isEmpty,
      case .some(let held) = try await key.holding(questions, mayBeHidden: false)
    else { return }
    let identity = known.first { held.first?.credentialID?.bytes == $0.credentialID }
    throw UserMessage(
      .cannotCreate,
      "\(key.name) holds an identity for \(keys.rpId) already: "
        + (identity.map { NIP19.npub($0.publicKey) } ?? ""),
      hint: "nostr derive --index makes more of it; --new-identity makes another credential")
  }

  private func identity(
    of credential: CredentialID, on key: OpenAuthenticator
  ) async throws(UserMessage) -> NostrPublicKey {
    let output = try await key.onlyOutput(
      PRFRequest(
        rpID: keys.rpId, credentialIDs: [credential],
        first: .webAuthn(IdentityInput.standard.prfInput)),
      why: "2 of 2: derives the identity")
    do throws(NostrError) {
      return try NostrSecretKey(prfOutput: output).publicKey
    } catch {
      throw UserMessage(error)
    }
  }

  /// Removes the credential that no identity came of, or says how to.
  private func removed(
    _ credential: CredentialID, on key: OpenAuthenticator, _ error: UserMessage
  ) async -> UserMessage {
    // A cancelled task would cancel this as well.
    let isGone = await Task.detached {
      do throws(UserMessage) {
        try await key.withPIN { authenticator, pin throws(PRFDeviceError) in
          try await authenticator.deleteCredential(credential, pin: pin)
        }
        return true
      } catch {
        return false
      }
    }.value
    if isGone { return error.adding(hint: "the credential was removed again") }
    return error.adding(
      hint: "an unused credential is left on \(key.name); to tidy up: "
        + CredentialIDArgument.deletion(of: credential.bytes))
  }
}
