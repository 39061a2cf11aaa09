internal import PRFDevice

extension OpenAuthenticator {
  /// Makes a credential under user verification, with a prompt for the touch.
  ///
  /// - Parameters:
  ///   - request: what to make.
  ///   - why: what the touch does, when there is more than one.
  /// - Returns: what the key made.
  /// - Throws: what the PIN, the touch and the device can refuse.
  func create(
    _ request: CredentialRequest, why: String? = nil
  ) async throws(UserMessage) -> CreatedCredential {
    do throws(UserMessage) {
      return try await verified { authenticator, pin throws(PRFDeviceError) in
        try await touched(why) { announce throws(PRFDeviceError) in
          try await authenticator.createCredential(
            request, pin: pin, announcingTouch: announce)
        }
      }
    } catch  where error.leavesDoubt && request.isDiscoverable {
      // The answer was lost, which had the credential's ID: who knows.
      throw error.adding(
        hint: "the key may have kept a new credential all the same; to see it: "
          + "keybackup credential list --rp-id \(request.rpID)")
    } catch {
      throw error
    }
  }
}

extension UserMessage {
  /// Whether a key that failed so may have done what it was asked to.
  fileprivate var leavesDoubt: Bool {
    [.prfUnsupported, .io, .authenticatorLost].contains(code)
  }

  /// The same with one more line of advice.
  func adding(hint more: String) -> UserMessage {
    var message = self
    message.hint = (hint.map { $0 + "\n" } ?? "") + more
    return message
  }
}
