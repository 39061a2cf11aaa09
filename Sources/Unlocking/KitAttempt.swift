internal import BackupFolder
package import CSPP
package import CommandKit
internal import PRFDevice
package import SecretMemory
internal import SecurityKeys

/// The attempt to open a backup's kits with one code.
package struct KitAttempt {
  private let unlock: UnlockOptions
  private let world: World
  private let rule: RelyingPartyRule
  private let count: Int
  /// One finder for all kits, so that a PIN that a key rejected is not sent again.
  private let finder: AuthenticatorFinder
  /// The touches for second secrets that opened nothing.
  private var search = AnswerSearch([], extraSalt: nil)
  private var asked = 0
  private var tried = 0
  private var work = 0
  /// Whether a kit was not tried because its second secret was missing.
  private var lacksFile = false
  /// The reason why a kit's second secret was not available.
  private var secondFailure: UserMessage?
  private var isCutShort = false

  /// The most work for one code, in KiB times passes: 64 GiB, about a minute.
  ///
  /// Anyone who can write to the folder may fill it with kits.
  private static let workLimit = 64 * 1024 * 1024

  package init(
    _ unlock: UnlockOptions, _ world: World, _ rule: RelyingPartyRule, _ count: Int
  ) throws(UserMessage) {
    self.unlock = unlock
    self.world = world
    self.rule = rule
    self.count = count
    finder = try unlock.finder(world, for: .secondKey)
  }

  /// The slot's secret, if the code is this kit's.
  ///
  /// - Returns: nil when the kit's second secret is not given, or too much was tried.
  /// - Throws: `io` without enough memory, and the errors of getting a second secret.
  package mutating func secret(
    of kit: Kit, _ code: borrowing RecoveryCode
  ) async throws(UserMessage) -> SecretBytes? {
    work += kit.derivation.work
    guard work <= Self.workLimit else {
      isCutShort = true
      return nil
    }
    switch kit.derivation.secondSecret {
    case nil: return try derive(kit, code)
    case .file:
      guard let path = unlock.recovery.secretFile else {
        lacksFile = true
        return nil
      }
      let second = try SecondSecretFile.read(path, world.streams)
      return KeyHeader.CodeDerivation.mix(
        try derive(kit, code), with: second, keyID: kit.keyID)
    case .keyring:
      let kept = KeyringSecondSecret(keyID: kit.keyID, common: unlock.common, world: world)
      let second: SecretBytes
      do throws(UserMessage) {
        second = try kept.find()
      } catch  where error.code != .interrupted {
        // Another kit may need no keyring.
        secondFailure = error
        return nil
      }
      return KeyHeader.CodeDerivation.mix(
        try derive(kit, code), with: second, keyID: kit.keyID)
    case .securityKey(let rpID, let credential, let salt):
      guard let question = UnlockQuestion(rpID: rpID, credentialID: credential, salt: salt) else {
        return nil
      }
      guard rule.allowsSecondSecret(rpID, in: kit.namespaceID) else {
        secondFailure = .relyingPartyNotAllowed([rpID], "a recovery kit was not tried")
        return nil
      }
      do throws(UserMessage) {
        try search.requirePatience(count - asked, finder.prompter)
      } catch  where error.code == .ambiguous {
        throw error.adding(hint: "name your kit, as its page does, with --kit-id")
      }
      asked += 1
      unlock.common.prompter(world).tell(
        "A recovery kit here has a security key as its second secret.")
      let second: SecretBytes
      do throws(UserMessage) {
        second = try await finder.ask([question]) { $0.evaluation.first() }
      } catch  where error.code == .wrongKey || error.code == .noAuthenticator {
        // Another kit may need another key.
        secondFailure = error
        return nil
      }
      search.note([])
      return KeyHeader.CodeDerivation.mix(
        try derive(kit, code), with: second, keyID: kit.keyID)
    }
  }

  private mutating func derive(
    _ kit: Kit, _ code: borrowing RecoveryCode
  ) throws(UserMessage) -> SecretBytes {
    tried += 1
    if count > 1 { unlock.output(world).note("Trying recovery kit \(tried) of \(count).") }
    return try Self.derive(kit.derivation, code)
  }

  /// Derives a key from a code.
  ///
  /// - Throws: `io` when there is not enough memory.
  package static func derive(
    _ derivation: KeyHeader.CodeDerivation, _ code: borrowing RecoveryCode
  ) throws(UserMessage) -> SecretBytes {
    do {
      return try derivation.derive(code)
    } catch {
      throw UserMessage(
        .io, "there is not enough memory: the code needs \(derivation.cost.memoryKiB / 1024) MiB",
        hint: "close other programs, or use another computer")
    }
  }

  /// The error to show when no kit opened.
  package var failure: UserMessage {
    if lacksFile {
      return UserMessage(
        .usage,
        tried == 0
          ? "the recovery code alone is not enough: the kit has a second secret"
          : "the recovery code alone opens no kit here, and one was not tried: it has a second secret",
        hint: "name its file with --secret-file")
    }
    if let secondFailure { return secondFailure }
    let hint =
      if isCutShort {
        "not all kits were tried: name yours, as its page does, with --kit-id"
      } else if unlock.recovery.secretFile != nil {
        "the code, or the second secret, is another kit's"
      } else {
        "it belongs to another backup, or to a kit that was revoked; to see the ways in: "
          + "keybackup key list"
      }
    return UserMessage(.wrongKey, "this recovery code does not open this backup", hint: hint)
  }
}
