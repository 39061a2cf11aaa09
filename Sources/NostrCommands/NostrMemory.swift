internal import BackupFolder
internal import CommandKit
internal import CommandSupport
internal import FoundationEssentials
internal import Nostr
internal import SecretMemory

/// The Nostr identities that this computer has derived: public keys with their credential and
/// index.
///
/// No secrets are stored, and no identity with a passphrase. Each has one small file, written once,
/// so that two programs cannot undo each other's records.
struct NostrMemory {
  /// The topic of the same data in a backup.
  static let topic = "nostr"

  private let folder: String
  private static let fileLimit = 64 * 1024

  /// Opens the folder of identities, which may be empty.
  ///
  /// - Throws: `config` when there is no place for it.
  init(_ world: World) throws(UserMessage) {
    guard let state = world.stateFolder else {
      throw UserMessage(
        .config, "HOME is not set, so there is no place to remember identities",
        hint: "set HOME or XDG_STATE_HOME")
    }
    folder = state + "/nostr"
  }

  /// Every identity, by relying party, credential and number.
  ///
  /// - Throws: `config` when one cannot be read: it might be the one that would reveal a wrong key.
  func identities() throws(UserMessage) -> [NostrIdentity] {
    guard FileCheck.exists(folder) else { return [] }
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch {
      throw UserMessage(
        .config, "the identities remembered in \(ShellWord.quoted(folder)) cannot be read",
        hint: "check the folder's permissions")
    }
    var found: [NostrIdentity] = []
    for name in names.sorted() where name.hasSuffix(".json") {
      let bytes = try InputFile.readFile("\(folder)/\(name)", limit: Self.fileLimit)
      do throws(NostrError) {
        found += try NostrIdentity.parse(bytes)
      } catch {
        throw UserMessage(
          .config, "the remembered identity \(ShellWord.quoted("\(folder)/\(name)")) is damaged",
          hint: "move the file away; the identity is remembered again when it is next used")
      }
    }
    return found.sorted {
      ($0.rpID, Hex.string($0.credentialID), $0.index.map { Int($0) } ?? -1)
        < ($1.rpID, Hex.string($1.credentialID), $1.index.map { Int($0) } ?? -1)
    }
  }

  /// Stores identities; known ones are not written again.
  ///
  /// - Throws: `io`, `cannot-create`.
  func remember(_ identities: [NostrIdentity]) throws(UserMessage) {
    let known = try Set(self.identities())
    for identity in identities where !known.contains(identity) { try write(identity) }
  }

  private func write(_ identity: NostrIdentity) throws(UserMessage) {
    let text = Array((NostrIdentity.json([identity]) + "\n").utf8)
    let name = Hex.string(Array(SHA256.hash(text).prefix(16))) + ".json"
    do throws(BackupFolderError) {
      try PrivateFolder.replace(text, as: name, in: folder)
    } catch {
      throw UserMessage(
        .cannotCreate,
        "\(ShellWord.quoted("\(folder)/\(name)")) could not be written: "
          + UserMessage(error).message, hint: "check the folder's permissions")
    }
  }
}
