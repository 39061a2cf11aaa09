// This folder is for keys of Nostr identities from a security key, and for remembering the
// identities on this computer. Only the commands in Commands/Nostr use it. No backup is opened
// here.

internal import CommandKit
internal import Nostr
internal import PRFDevice
internal import SecretMemory
internal import SecurityKeys
internal import Unlocking

/// Derives identities' keys from a security key, and ensures that a wrong key does not silently
/// give another identity.
struct NostrKeys {
  let options: NostrKeyOptions
  private let memory: NostrMemory
  /// The remembered identities of the relying party.
  private let known: [NostrIdentity]
  private let finder: AuthenticatorFinder

  /// Reads the remembered identities.
  ///
  /// - Throws: `usage` for the relying party of backups, `config`.
  init(_ options: NostrKeyOptions, _ world: World) throws(UserMessage) {
    try DeriveRelyingParty.check(options.rpId)
    self.options = options
    memory = try NostrMemory(world)
    known = try memory.identities().filter { $0.rpID == options.rpId }
    finder = try options.finder(world)
  }

  /// Derives keys, two per touch, checks them against the remembered identities, and remembers new
  /// ones.
  ///
  /// - Parameters:
  ///   - inputs: the inputs of the identities.
  ///   - identity: the user's expectation.
  ///   - world: gives the enrolled credentials.
  ///   - use: receives each input and its key, after all keys of its touch were checked.
  /// - Returns: the credential.
  /// - Throws: `wrong-key` when another credential than the known one answers, or it gives another
  ///   identity; `ambiguous`; the errors of the device.
  @discardableResult
  func derive(
    _ inputs: [IdentityInput], expecting identity: IdentityOptions? = nil, _ world: World,
    use: (IdentityInput, borrowing NostrSecretKey) throws(UserMessage) -> Void
  ) async throws(UserMessage) -> CredentialID {
    let enrolled = try EnrolledCredentials.known(world, options.folder)
    let wanted = try wantedCredentials()
    for id in wanted { try enrolled.refuse(id.bytes, insteadOf: "nostr create") }
    let (key, held) = try await key(holding: wanted)
    var ids = held.map { [$0] } ?? wanted
    if held == nil { try await key.requirePRF() }
    var credential = ids.first
    for pair in inputs.chunks(of: 2) {
      let why =
        inputs.count > 2 ? "for \(pair.count == 1 ? "one identity" : "two identities")" : nil
      let evaluation = try await evaluate(pair, ids, on: key, why: why)
      try enrolled.refuse(evaluation.credentialID.bytes, insteadOf: "nostr create")
      try check(evaluation.credentialID, on: key)
      credential = evaluation.credentialID
      ids = [evaluation.credentialID]
      try give(evaluation, pair, identity, use)
    }
    guard let credential else {
      throw UserMessage(.internalError, "a fault in keybackup: no input")
    }
    return credential
  }

  /// The credentials to request: the named one, otherwise the known ones; empty for any
  /// discoverable one.
  private func wantedCredentials() throws(UserMessage) -> [CredentialID] {
    if let credential = options.credential {
      return try CredentialIDArgument.candidates(credential).map { CredentialID($0) }
    }
    if options.newIdentity { return [] }
    return Set(known.map(\.credentialID)).sorted { $0.lexicographicallyPrecedes($1) }
      .map { CredentialID($0) }
  }

  private func key(
    holding ids: [CredentialID]
  ) async throws(UserMessage) -> (OpenAuthenticator, CredentialID?) {
    do throws(UserMessage) {
      return try await finder.key(holding: ids, rpID: options.rpId)
    } catch  where error.code == .wrongKey {
      if options.credential != nil {
        throw UserMessage(
          .wrongKey, "no security key in reach holds this credential for \(options.rpId)",
          hint: "plug in the one it was made on, and check --credential and --rp-id")
      }
      throw UserMessage(
        .wrongKey,
        "no security key in reach holds the credential of \(knownNames)",
        hint: "plug in the key it was made on; --new-identity uses another credential, which is "
          + "another identity")
    }
  }

  private func evaluate(
    _ inputs: [IdentityInput], _ ids: [CredentialID], on key: OpenAuthenticator, why: String?
  ) async throws(UserMessage) -> PRFEvaluation {
    let request = PRFRequest(
      rpID: options.rpId, credentialIDs: ids, first: .webAuthn(inputs[0].prfInput),
      second: inputs.count > 1 ? .webAuthn(inputs[1].prfInput) : nil)
    return try await key.onlyEvaluation(request, why: why)
  }

  /// Throws if a credential is unknown while others are known, unless the user named it.
  private func check(_ credential: CredentialID, on key: OpenAuthenticator) throws(UserMessage) {
    guard options.credential == nil, !options.newIdentity, !known.isEmpty,
      !known.contains(where: { $0.credentialID == credential.bytes })
    else { return }
    throw UserMessage(
      .wrongKey, "\(key.name) is not the key of \(knownNames)",
      hint: "plug in that one; --new-identity uses this one, which is another identity")
  }

  /// Checks the keys of one touch, remembers them, and passes them on.
  private func give(
    _ evaluation: PRFEvaluation, _ inputs: [IdentityInput], _ identity: IdentityOptions?,
    _ use: (IdentityInput, borrowing NostrSecretKey) throws(UserMessage) -> Void
  ) throws(UserMessage) {
    let first = try Self.secretKey(evaluation.first(), inputs[0])
    try identity?.check(first.publicKey)
    var new = try check(first.publicKey, inputs[0], evaluation.credentialID)
    guard let output = evaluation.second() else {
      remember(new)
      return try use(inputs[0], first)
    }
    let second = try Self.secretKey(output, inputs[1])
    new += try check(second.publicKey, inputs[1], evaluation.credentialID)
    remember(new)
    try use(inputs[0], first)
    try use(inputs[1], second)
  }

  private static func secretKey(
    _ output: consuming SecretBytes, _ input: IdentityInput
  ) throws(UserMessage) -> NostrSecretKey {
    do throws(NostrError) {
      return try NostrSecretKey(prfOutput: output)
    } catch {
      throw UserMessage(error)
    }
  }

  /// Compares an identity with the remembered one of its place.
  ///
  /// - Returns: the identity if it must be remembered.
  private func check(
    _ publicKey: NostrPublicKey, _ input: IdentityInput, _ credential: CredentialID
  ) throws(UserMessage) -> [NostrIdentity] {
    let index: UInt32?
    switch input.name {
    case .standard: index = nil
    case .index(let number): index = number
    case .passphrase: return []
    }
    let identity = NostrIdentity(
      rpID: options.rpId, credentialID: credential.bytes, index: index, publicKey: publicKey)
    guard let remembered = known.first(where: { $0.isSamePlace(as: identity) }) else {
      return [identity]
    }
    guard remembered.publicKey == publicKey else {
      throw UserMessage(
        .wrongKey,
        "the security key gives another identity than before: it was "
          + "\(NIP19.npub(remembered.publicKey)) and is now \(NIP19.npub(publicKey))",
        hint: "nothing was done with it; the key was reset or is a copy, or the memory in the "
          + "state folder is another person's")
    }
    return []
  }

  private func remember(_ identities: [NostrIdentity]) {
    do throws(UserMessage) {
      try memory.remember(identities)
    } catch {
      finder.output.warn("keybackup: the identity could not be remembered: \(error.message)")
    }
  }

  /// The identities of one or two known credentials, as part of a sentence.
  private var knownNames: String {
    var seen: Set<[UInt8]> = []
    let keys = known.filter { seen.insert($0.credentialID).inserted }.map(\.publicKey)
    let shown = keys.prefix(2).map(NIP19.npub).joined(separator: " or ")
    return keys.count > 2 ? "\(shown) or \(keys.count - 2) more" : shown
  }
}

extension Array {
  /// The elements in groups of `size`; the last may be smaller.
  fileprivate func chunks(of size: Int) -> [[Element]] {
    stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
  }
}
