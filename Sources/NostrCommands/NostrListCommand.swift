package import ArgumentParser
package import CommandKit
internal import Nostr
internal import SyncFolders
internal import Unlocking

/// `keybackup nostr list`: the identities that this computer knows, on a new one
/// those of the backup.
package struct NostrListCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the identities that are known here or in the backup.",
    discussion: """
      Needs no security key, unless this computer knows no identity yet. --from-backup takes \
      one touch and brings those of the backup.
      Identities with a passphrase are on no list.
      """)

  @OptionGroup var unlock: UnlockOptions

  @Flag(help: "Bring the identities of the backup to this computer, with one touch.")
  var fromBackup = false

  package init() {}

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let memory = try NostrMemory(world)
    var known = try memory.identities()
    if let backup = try await backup(world, asked: fromBackup || known.isEmpty) {
      let opened = try await backup.unlock(unlock, world)
      // What contradicts this computer's memory is told, not taken.
      let (taken, contradicting) = try opened.nostrIdentities().divided(by: known)
      try memory.remember(taken)
      known = try memory.identities()
      for identity in contradicting {
        unlock.output(world).warn(
          "keybackup: the backup knows another identity than this computer: "
            + NIP19.npub(identity.publicKey))
      }
    }
    try unlock.output(world).result(known)
    return .success
  }

  /// The backup to ask; nil for none.
  private func backup(_ world: World, asked: Bool) async throws(UserMessage) -> Backup? {
    guard asked else { return nil }
    if fromBackup { return try await unlock.backup(world) }
    guard try unlock.folder.configuredPath(world) != nil else { return nil }
    do throws(UserMessage) {
      return try await unlock.backup(world)
    } catch  where error.code == .noInput {
      // Identities need no backup.
      return nil
    }
  }
}

extension Set<NostrIdentity> {
  /// Those that agree with what is known, and those that do not.
  fileprivate func divided(
    by known: [NostrIdentity]
  ) -> (agreeing: [NostrIdentity], contradicting: [NostrIdentity]) {
    var agreeing: [NostrIdentity] = []
    var contradicting: [NostrIdentity] = []
    for identity in self {
      let differs = known.contains {
        $0.isSamePlace(as: identity) && $0.publicKey != identity.publicKey
      }
      if differs { contradicting.append(identity) } else { agreeing.append(identity) }
    }
    return (agreeing, contradicting)
  }
}

extension Output {
  /// Prints remembered identities.
  fileprivate func result(_ identities: [NostrIdentity]) throws(UserMessage) {
    if json {
      try result(json: ["identities": .array(identities.map(\.jsonValue))])
      return
    }
    if identities.isEmpty { return note("No identities are known here: keybackup nostr create") }
    let rows = identities.map { identity in
      [
        NIP19.npub(identity.publicKey), identity.index.map { String($0) } ?? "-",
        PrintableText.name(identity.rpID, limit: 64),
      ]
    }
    try result(
      Table(
        columns: [
          Table.Column("NPUB"), Table.Column("INDEX", rank: 2),
          Table.Column("RELYING PARTY", rank: 1),
        ], rows: rows))
  }
}

extension NostrIdentity {
  /// The identity as the command's JSON.
  fileprivate var jsonValue: JSONOutput {
    [
      "npub": .string(NIP19.npub(publicKey)), "public_key": .string(publicKey.hex),
      "rp_id": .string(rpID),
      "credential_id": .string(CredentialIDArgument.encode(credentialID)),
      "index": .optional(index.map { Int($0) }),
    ]
  }
}
