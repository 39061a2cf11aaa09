package import CommandKit
package import PRFDevice

extension AuthenticatorFinder {
  /// Opens a security key that is no way in yet, for enrolment.
  ///
  /// If there are several, the user touches one. If there is none, it waits for another one, so
  /// that one USB port is enough.
  ///
  /// - Parameters:
  ///   - used: the key that opened the backup.
  ///   - questions: the questions that recognise enrolled keys; they are asked silently.
  /// - Returns: the key.
  /// - Throws: `ambiguous` when there are several and nobody to choose, `cannot-create` when only
  ///   enrolled ones are connected, `no-authenticator`.
  package func newKey(
    besides used: AuthenticatorDescriptor?, _ questions: [UnlockQuestion]
  ) async throws(UserMessage) -> OpenAuthenticator {
    let deadline = time.now() + .seconds(patience)
    var found = try await connected()
    while true {
      let others = found.filter { $0 != used || options.device != nil }
      let fresh = try await notEnrolled(others, questions)
      if let only = fresh.first, fresh.count == 1 { return try await open(only) }
      if fresh.count > 1 {
        guard prompter.canAsk else { throw Self.ambiguous(fresh) }
        return try await chooseByTouch(fresh, "to enrol")
      }
      let seconds = Int((deadline - time.now()).components.seconds)
      guard seconds > 0 else { throw Self.noNewKey(found) }
      guard
        let came = try await newcomers(
          to: found, within: seconds, WantedAuthenticator(purpose: .enrolling))
      else { throw Self.noNewKey(found) }
      found = came
    }
  }

  /// The keys that do not claim to hold one of these credentials.
  private func notEnrolled(
    _ found: [AuthenticatorDescriptor], _ questions: [UnlockQuestion]
  ) async throws(UserMessage) -> [AuthenticatorDescriptor] {
    guard !found.isEmpty else { return [] }
    var fresh: [AuthenticatorDescriptor] = []
    for (descriptor, look) in await identify(found, questions) {
      if case .holds(let key, _) = look {
        prompter.tell("\(key.shown.placed) is enrolled already.")
      } else {
        fresh.append(descriptor)
      }
    }
    if Task.isCancelled { throw .interrupted }
    return fresh
  }

  private static func noNewKey(_ found: [AuthenticatorDescriptor]) -> UserMessage {
    found.isEmpty
      ? UserMessage(
        .noAuthenticator, "there is no security key to enrol",
        hint: "insert it when asked; to be given more time: --wait SECONDS")
      : UserMessage(
        .cannotCreate,
        found.count == 1
          ? "the security key that is plugged in is enrolled already"
          : "the security keys that are plugged in are enrolled already",
        hint: "insert the new one; to be given time for that: --wait SECONDS\n"
          + "to see those that are enrolled: keybackup key list")
  }
}
