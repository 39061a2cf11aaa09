internal import BackupFolder
internal import CSPP

/// A source of a backup's master key.
///
/// ``Backup`` asks them one after the other, those first that ask least of a person. A new kind
/// conforms to this, and is named where ``Backup`` lists its sources.
protocol MasterKeySource: Sendable {
  /// What it asks of a person.
  var cost: SourceCost { get }

  /// Whether it does for what a command is about.
  func serves(_ terms: UnlockTerms) -> Bool

  /// Gets the master key.
  ///
  /// - Parameter request: what is asked for; receives what was found on the way.
  /// - Returns: nil where this source has nothing, and the next one is asked.
  /// - Throws: what ends the search.
  func masterKey(_ request: inout UnlockRequest) async throws(UserMessage) -> UnlockedMasterKey?
}

/// What a source asks of a person, the least first.
enum SourceCost: Comparable {
  /// The person has named this source: no other one is meant.
  case named
  case nothing
  /// A PIN and a touch.
  case touch
}

/// What is asked of the sources for one command.
struct UnlockRequest {
  let backup: Backup
  let unlock: UnlockOptions
  let world: World
  let terms: UnlockTerms
  /// Files of the key slot that opened which do not open.
  var damaged: [FileFinding] = []
  private var scanned: NamespaceScan?

  init(_ backup: Backup, _ unlock: UnlockOptions, _ world: World, _ terms: UnlockTerms) {
    (self.backup, self.unlock, self.world, self.terms) = (backup, unlock, world, terms)
  }

  /// The key slots that will do, read once; notes what is wrong with their files.
  mutating func scan() throws(UserMessage) -> NamespaceScan {
    if let scanned { return scanned }
    let scan = try terms.allowed(backup.scanAll())
    for finding in scan.findings { unlock.output.note("keybackup: \(finding.text)") }
    scanned = scan
    return scan
  }

  /// The key slots that will do, as far as they can be read.
  var slots: [KeySlot] {
    (scanned ?? (try? backup.scanAll()).map { terms.allowed($0) })?.keySlots ?? []
  }

  /// Why no source is left.
  func noSource() -> UserMessage {
    .noSecurityKey(scanned?.keySlots ?? [], terms).offeringRecoveryCode(slots, terms)
  }
}

extension UserMessage {
  /// What to say where no security key can be asked.
  ///
  /// - Parameters:
  ///   - slots: the key slots that will do.
  ///   - terms: why others will not.
  /// - Returns: the error.
  fileprivate static func noSecurityKey(_ slots: [KeySlot], _ terms: UnlockTerms) -> UserMessage {
    let hasKit = slots.contains { Kit($0) != nil }
    if terms.needsSecurityKey, hasKit || terms.only != nil {
      return UserMessage(
        .wrongKey, "this needs a security key that opens the backup, and none is enrolled",
        hint: "enrol a key first: keybackup key add --recovery-code")
    }
    if !terms.except.isEmpty {
      return UserMessage(
        .usage, "this needs another way in than the one that you want to remove",
        hint: hasKit ? "open the backup with the recovery code: --recovery-code" : nil)
    }
    // Whoever calls this tells of the recovery code.
    if hasKit {
      return UserMessage(
        .wrongKey, "no security key opens this backup, only recovery codes", hint: nil)
    }
    return UserMessage(
      .dataInvalid, "this version of keybackup knows no way into this backup",
      hint: "a newer keybackup may know it")
  }

  /// The same, with the other ways in that would do: another key, the recovery code.
  func offeringRecoveryCode(_ slots: [KeySlot], _ terms: UnlockTerms) -> UserMessage {
    let isAboutThePIN = [ExitCode.pinInvalid, .pinBlocked, .pinLastTries].contains(code)
    let isAboutTheKey = [ExitCode.noAuthenticator, .wrongKey, .prfUnsupported].contains(code)
    let hasKit = !terms.needsSecurityKey && slots.contains { Kit($0) != nil }
    let keys = slots.filter { $0.kind == .securityKey }.independent.count
    if isAboutThePIN, hasKit || (keys > 1 && !terms.mustBeOneKey) {
      let ways = [
        keys > 1 && !terms.mustBeOneKey ? "another of your keys" : nil,
        hasKit ? "the recovery code: --recovery-code" : nil,
      ]
      return adding(
        hint: "if you have forgotten the PIN, open the backup with "
          + ways.compactMap { $0 }.joined(separator: " or with "))
    }
    guard isAboutTheKey, hasKit else { return self }
    return adding(hint: "or open the backup with the recovery code: --recovery-code")
  }
}
