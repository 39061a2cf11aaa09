package import ArgumentParser
internal import BackupFolder
package import CommandKit
internal import Nostr
internal import Unlocking

/// `keybackup nostr save`: the known identities go into the backup.
package struct NostrSaveCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "save", abstract: "Put the identities that are known here into the backup.",
    discussion: """
      Saves public keys, credentials and numbers, encrypted like the wallets. On a new \
      computer, keybackup nostr list brings them back.
      No secret is stored, and no identity with a passphrase.
      """)

  @OptionGroup var unlock: UnlockOptions

  package init() {}

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let memory = try NostrMemory(world)
    let here = try memory.identities()
    guard !here.isEmpty else {
      throw UserMessage(
        .noInput, "no identities are known here", hint: "to make one: keybackup nostr create")
    }
    var backup = try await unlock.open(world, for: .writing)
    let new = try backup.deciding(UserMessage.init) { (backup) throws(UserMessage) in
      let saved = try backup.nostrIdentities()
      let new = here.filter { !saved.contains($0) }
      if new.isEmpty { return new }
      do throws(BackupFolderError) {
        try backup.addSensitive(Array(NostrIdentity.json(new).utf8), topic: NostrMemory.topic)
      } catch {
        throw UserMessage(error)
      }
      return new
    }
    unlock.output(world).warn(viewProblem: backup.viewProblem)
    try unlock.output(world).result(
      new.isEmpty
        ? "The backup has \(here.count == 1 ? "it" : "all \(here.count)") already."
        : "Wrote \(new.count) of \(here.count == 1 ? "1 identity" : "\(here.count) identities") into the "
          + "backup.",
      json: ["saved": .number(new.count), "known": .number(here.count)],
      ofChange: "the identities were saved all the same")
    return .success
  }
}

extension OpenNamespace {
  /// The identities in the backup.
  ///
  /// - Throws: what reading the log throws.
  func nostrIdentities() throws(UserMessage) -> Set<NostrIdentity> {
    let texts: [[UInt8]]
    do throws(BackupFolderError) {
      texts = try sensitiveTexts(NostrMemory.topic)
    } catch {
      throw UserMessage(error)
    }
    // A newer program's list is not for this version.
    return Set(texts.flatMap { (try? NostrIdentity.parse($0)) ?? [] })
  }
}
