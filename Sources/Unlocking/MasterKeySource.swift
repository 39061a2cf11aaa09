package import BackupFolder
internal import CSPP
package import CommandKit
package import SecurityKeys

/// A source of a backup's master key.
///
/// ``Backup`` tries the sources in turn, first those that require least of the user. A new kind of
/// source conforms to this protocol, and is added where ``Backup`` lists its sources.
protocol MasterKeySource: Sendable {
  /// The effort that it requires of the user.
  var cost: SourceCost { get }

  /// Whether it meets the requirements of a command.
  func serves(_ terms: UnlockTerms) -> Bool

  /// Gets the master key.
  ///
  /// - Parameter request: the request; receives findings.
  /// - Returns: nil where this source has nothing, so that the next one is tried.
  /// - Throws: the error that ends the search.
  func masterKey(_ request: inout UnlockRequest) async throws(UserMessage) -> UnlockedMasterKey?
}

/// The effort that a source requires of the user, the least first.
enum SourceCost: Comparable {
  /// The user has named this source, so no other one is meant.
  case named
  case nothing
  /// A PIN and a touch.
  case touch
}

/// The request of one command to the sources.
package struct UnlockRequest {
  package let backup: Backup
  package let unlock: UnlockOptions
  package let world: World
  package let terms: UnlockTerms
  /// The files of the opening key slot that do not open.
  package var damaged: [FileFinding] = []
  private var scanned: NamespaceScan?

  package init(_ backup: Backup, _ unlock: UnlockOptions, _ world: World, _ terms: UnlockTerms) {
    (self.backup, self.unlock, self.world, self.terms) = (backup, unlock, world, terms)
  }

  /// The accepted key slots, read once; reports problems of their files.
  package mutating func scan() throws(UserMessage) -> NamespaceScan {
    if let scanned { return scanned }
    let scan = try terms.allowed(backup.scanAll())
    for finding in scan.findings { unlock.output(world).note("keybackup: \(finding.text)") }
    scanned = scan
    return scan
  }

  /// The accepted key slots, as far as they can be read.
  package var slots: [KeySlot] {
    (scanned ?? (try? backup.scanAll()).map { terms.allowed($0) })?.keySlots ?? []
  }

  /// The error that no source is left.
  func noSource() -> UserMessage {
    .noSecurityKey(scanned?.keySlots ?? [], terms).offeringRecoveryCode(slots, terms)
  }
}

extension UserMessage {
  /// The error that no security key can be asked.
  ///
  /// - Parameters:
  ///   - slots: the accepted key slots.
  ///   - terms: the reason why others are not accepted.
  /// - Returns: the error.
  fileprivate static func noSecurityKey(_ slots: [KeySlot], _ terms: UnlockTerms) -> UserMessage {
    let hasKit = slots.contains { Kit($0) != nil }
    if terms.needsSecurityKey, hasKit || terms.only != nil {
      return UserMessage(
        .wrongKey, "this needs a security key that opens the backup, and none is enrolled",
        hint: "enrol a key first: keybackup key add --recovery-code")
    }
    // The caller mentions the recovery code.
    if !terms.except.isEmpty {
      return UserMessage(
        .wrongKey, "this needs another way in than the one that you want to remove", hint: nil)
    }
    if hasKit {
      return UserMessage(
        .wrongKey, "no security key opens this backup, only recovery codes", hint: nil)
    }
    if slots.contains(where: { $0.guardedOption != nil && !$0.isRemoved }) {
      return UserMessage(
        .wrongKey, "no security key opens this backup, only ways in with guards", hint: nil)
    }
    return UserMessage(
      .dataInvalid, "this version of keybackup knows no way into this backup",
      hint: "a newer keybackup may know it")
  }

  /// The same, with the other ways in that would do: another key, the recovery code.
  func offeringRecoveryCode(_ slots: [KeySlot], _ terms: UnlockTerms) -> UserMessage {
    let isAboutThePIN = [ExitReason.pinInvalid, .pinBlocked, .pinLastTries].contains(code)
    let isAboutTheKey = [ExitReason.noAuthenticator, .wrongKey, .prfUnsupported].contains(code)
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
    guard isAboutTheKey else { return self }
    var offered = self
    if hasKit {
      offered = offered.adding(hint: "or open the backup with the recovery code: --recovery-code")
    }
    guard !terms.needsSecurityKey else { return offered }
    let guarded = Set(slots.filter { !$0.isRemoved }.compactMap(\.guardedOption))
    if !guarded.isEmpty {
      offered = offered.adding(
        hint: "or open the backup with its guards: " + guarded.sorted().joined(separator: " or "))
    }
    return offered
  }
}
