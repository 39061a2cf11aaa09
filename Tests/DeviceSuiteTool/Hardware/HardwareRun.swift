import DeviceSuite
import Foundation
import PRFDevice

/// Runs the harmless behaviours on one real key, and leaves it as it was found.
struct HardwareRun: Sendable {
  let console: Console
  let interruption: Interruption
  let descriptor: AuthenticatorDescriptor
  let info: AuthenticatorInfo
  let pin: PIN
  let retries: Int

  /// Chooses the behaviours that suit a key like this one, and says why others are left out.
  static func plan(
    for info: AuthenticatorInfo, _ transport: AuthenticatorDescriptor.Transport
  ) -> (behaviours: [Behaviour], leftOut: [(Behaviour, String)]) {
    var behaviours: [Behaviour] = []
    var leftOut: [(Behaviour, String)] = []
    for behaviour in Behaviour.all where behaviour.touches != nil {
      if let reason = reason(against: behaviour, info, transport) {
        leftOut.append((behaviour, reason))
      } else {
        behaviours.append(behaviour)
      }
    }
    return (behaviours, leftOut)
  }

  private static func reason(
    against behaviour: Behaviour, _ info: AuthenticatorInfo,
    _ transport: AuthenticatorDescriptor.Transport
  ) -> String? {
    if transport == .nfc, let reason = behaviour.reasonAgainst(.pcsc) { return reason }
    guard behaviour.name == "create-discoverable" else { return nil }
    if !info.supportsDiscoverableCredentials { return "this key stores no credentials" }
    if !info.supportsCredentialManagement {
      return "this key could not delete the credential again"
    }
    return info.remainingDiscoverableCredentials == 0 ? "this key has no room" : nil
  }

  /// Runs all behaviours and restores the key, also when interrupted.
  func run() async -> HardwareReport {
    var report = HardwareReport(descriptor: descriptor, info: info)
    report.retries.before = retries
    var (behaviours, leftOut) = Self.plan(for: info, descriptor.transport)
    let before: [StoredCredential]?
    do {
      before = info.supportsCredentialManagement ? try await stored() : nil
    } catch .credentialManagementUnsupported {
      // libfido2 1.12 knows only the command from before CTAP 2.1.
      before = nil
      let gone = behaviours.filter { $0.name == "create-discoverable" }
      behaviours.removeAll { $0.name == "create-discoverable" }
      leftOut += gone.map { ($0, "libfido2 could not delete the credential again") }
    } catch {
      report.ending = "Nothing was made: \(explain(error))"
      return report
    }
    report.leftOut = leftOut

    let work = Task { await outcomes(of: behaviours) }
    interruption.onSignal {
      console.show("\nInterrupted: what was made is deleted first.")
      work.cancel()
    }
    report.outcomes = await work.value
    // Not part of the task that a signal cancels.
    let cleaning = Task.detached { await restore(before) }
    (report.ending, report.isRestored, report.retries.after) = await cleaning.value
    return report
  }

  private func outcomes(of behaviours: [Behaviour]) async -> [Outcome] {
    let keys = PluggedKeys.real(descriptor, pin: pin) { _ in try Task.checkCancellation() }
    var outcomes: [Outcome] = []
    for (index, behaviour) in behaviours.enumerated() {
      if Task.isCancelled { break }
      let touches = behaviour.touches ?? 0
      let asked =
        switch touches {
        case _ where descriptor.transport == .nfc: "leave the key on the reader"
        case 0: behaviour.needs.contains(.touch) ? "do NOT touch the key" : "no touch"
        case 1: "touch the key once when it blinks"
        default: "touch the key \(touches) times, whenever it blinks"
        }
      console.show("[\(index + 1)/\(behaviours.count)] \(behaviour.title): \(asked)")
      let outcome = await behaviour.run(with: keys)
      outcomes.append(outcome)
      console.show(outcome.passed ? "      passed" : "      NOT PASSED: \(outcome.detail)")
      // Never spend a second PIN try, whatever happened.
      if !outcome.passed, await remainingTries() != retries {
        console.show("The key has fewer PIN tries than before, or is gone: this ends here.")
        break
      }
    }
    return outcomes
  }

  // MARK: Leaving the key as it was

  /// Deletes what was made, and checks that everything else is as before.
  private func restore(_ before: [StoredCredential]?) async -> (
    ending: String, isRestored: Bool, retries: Int?
  ) {
    guard let before else {
      return ("Nothing was stored on the key.", true, await remainingTries())
    }
    do throws(PRFDeviceError) {
      let key = try await open()
      var deleted = 0
      for credential in try await key.credentials(pin: pin)
      where credential.rpID == PluggedKeys.rpID {
        try await key.deleteCredential(credential.id, pin: pin)
        deleted += 1
      }
      let after = try await key.credentials(pin: pin)
      let tries = try await key.pinRetries()
      await key.close()
      let others = before.filter { $0.rpID != PluggedKeys.rpID }
      let old = before.count - others.count
      guard after.count == others.count, after.allSatisfy(others.contains) else {
        return ("THE KEY'S CREDENTIALS ARE NOT THE ONES IT HAD BEFORE.", false, tries)
      }
      let more = old > 0 ? " What an earlier run had left was deleted." : ""
      return (
        "The key holds the credentials that it held before"
          + (deleted > old ? ", \(deleted - old) made by an interrupted test deleted." : ".")
          + more,
        true, tries
      )
    } catch {
      return (
        "IT IS NOT KNOWN WHETHER A CREDENTIAL FOR \(PluggedKeys.rpID) IS LEFT (\(explain(error))): "
          + "run this again, or delete it with keybackup credential delete.", false, nil
      )
    }
  }

  private func stored() async throws(PRFDeviceError) -> [StoredCredential] {
    let key = try await open()
    do throws(PRFDeviceError) {
      let found = try await key.credentials(pin: pin)
      await key.close()
      return found
    } catch {
      await key.close()
      throw error
    }
  }

  /// The PIN tries that the key now reports; nil when it cannot be asked.
  private func remainingTries() async -> Int? {
    guard let key = try? await open() else { return nil }
    let tries = try? await key.pinRetries()
    await key.close()
    return tries
  }

  /// Opens the key, which may be busy for a moment with the cancelled request.
  private func open() async throws(PRFDeviceError) -> Authenticator {
    for _ in 0..<50 {
      do throws(PRFDeviceError) {
        return try await Authenticator.open(descriptor)
      } catch .busy {
        try? await Task.sleep(for: .milliseconds(100))
      } catch {
        throw error
      }
    }
    throw .busy
  }

  private func explain(_ error: PRFDeviceError) -> String {
    switch error {
    case .pinInvalid(let left):
      "the PIN is wrong" + (left.map { ", \($0) tries are left" } ?? "")
    case .pinAuthBlocked: "the PIN is blocked until the key is plugged in again"
    case .authenticatorLost, .noAuthenticator: "the key is gone"
    default: "\(error)"
    }
  }
}
