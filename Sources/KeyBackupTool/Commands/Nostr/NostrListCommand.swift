internal import ArgumentParser
internal import Nostr

/// `keybackup nostr list`: the identities that this computer knows.
struct NostrListCommand: ParsableCommand, KeyBackupCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the identities that are known here.",
    discussion: "Identities with a passphrase are on no list.")

  @OptionGroup var common: CommonOptions

  func run(in world: World) async throws(UserMessage) -> ExitCode {
    try common.output.result(try NostrMemory(world).identities())
    return .success
  }
}

extension Output {
  /// Prints remembered identities.
  func result(_ identities: [NostrIdentity]) throws(UserMessage) {
    if json {
      try result(json: [
        "identities": .array(
          identities.map { identity -> JSONValue in
            [
              "npub": .string(NIP19.npub(identity.publicKey)),
              "public_key": .string(identity.publicKey.hex), "rp_id": .string(identity.rpID),
              "credential_id": .string(CredentialIDArgument.encode(identity.credentialID)),
              "index": .optional(identity.index.map { Int($0) }),
            ]
          })
      ])
      return
    }
    if identities.isEmpty { return note("No identities are known here: keybackup nostr create") }
    let rows = identities.map { identity in
      [
        NIP19.npub(identity.publicKey), identity.index.map { String($0) } ?? "-",
        PrintableText.clean(identity.rpID, limit: 64),
      ]
    }
    for line in Table.lines([["NPUB", "INDEX", "RELYING PARTY"]] + rows) { try result(line) }
  }
}
