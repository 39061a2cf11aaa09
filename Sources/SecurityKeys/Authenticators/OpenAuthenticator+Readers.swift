package import CommandKit
package import PRFDevice

/// Handles keys on readers, whose session ends when the hand shakes or takes the key away to type
/// the PIN.
///
/// Operations that are safe to repeat continue once the same key is back.
extension OpenAuthenticator {
  /// The evidence that a key is the same one as before.
  package enum Identity: Sendable {
    /// The key holds this credential.
    case credential(CredentialID, rpID: String)
    /// The key is of this model, which is all that is known of a key without a credential.
    case model(AAGUID)
  }

  /// Runs a call that changes nothing and sends no PIN; repeats it if the key was removed from its
  /// reader in the meantime.
  func repeatable<R: Sendable>(
    _ body: (Authenticator) async throws(PRFDeviceError) -> R
  ) async throws(UserMessage) -> R {
    while true {
      do throws(PRFDeviceError) {
        return try await body(authenticator)
      } catch {
        guard error == .authenticatorLost else { throw message(error) }
      }
      try await putBack()
    }
  }

  /// Records the identity of the key, as far as possible, before its PIN is requested.
  func rememberModel() async throws(UserMessage) {
    guard descriptor.isOnReader, identity == nil else { return }
    let info = try await repeatable { key throws(PRFDeviceError) in try await key.info() }
    identity = .model(info.aaguid)
  }

  /// Ensures that the key is still on its reader before a PIN is sent: the user may have taken it
  /// away to type.
  func requireOnReader() async throws(UserMessage) {
    guard descriptor.isOnReader, await !authenticator.isInReach() else { return }
    try await putBack()
  }

  /// Waits until the key is back on its reader, as long as the wait for a plugged-in key.
  ///
  /// - Throws: `authenticator-lost` when it does not come back, `wrong-key` when another one does.
  private func putBack() async throws(UserMessage) {
    let lost = message(.authenticatorLost)
    guard descriptor.isOnReader, finder.patience > 0 else { throw lost }
    await authenticator.close()
    let deadline = finder.time.now() + .seconds(finder.patience)
    finder.askToPutBack(name)
    while deadline > finder.time.now(), try await finder.isBack(descriptor, by: deadline) {
      do throws(UserMessage) {
        let key = try await finder.open(descriptor)
        guard try await isSame(key) else {
          await key.authenticator.close()
          throw UserMessage(
            .wrongKey, "another security key was put on the reader",
            hint: "try again with the same key from beginning to end")
        }
        authenticator = key.authenticator
        return
      } catch  where error.code == .authenticatorLost {
        continue
      }
    }
    throw lost
  }

  private func isSame(_ key: OpenAuthenticator) async throws(UserMessage) -> Bool {
    switch identity {
    case nil: return true
    case .credential(let id, let rpID)?:
      return try await key.call { key throws(PRFDeviceError) in
        try await key.holds([id], rpID: rpID) == .yes(id)
      }
    case .model(let model)?:
      return try await key.call { key throws(PRFDeviceError) in
        try await key.info().aaguid == model
      }
    }
  }
}

extension AuthenticatorFinder {
  func askToPutBack(_ name: String) {
    prompter.tell("\(name.sentence) was taken off the reader. Put it back and hold it still.")
  }

  /// Waits for a security key on this key's reader.
  package func isBack(
    _ descriptor: AuthenticatorDescriptor, by deadline: Duration
  ) async throws(UserMessage) -> Bool {
    let path = descriptor.path
    do throws(PRFDeviceError) {
      _ = try await devices.wait(max(.zero, deadline - time.now())) { found in
        found.contains { $0.path == path }
      }
      return true
    } catch {
      if error == .cancelled { throw .interrupted }
      return false
    }
  }
}

extension String {
  /// The text with an upper-case first letter, for the beginning of a sentence.
  fileprivate var sentence: String { prefix(1).uppercased() + dropFirst() }
}
