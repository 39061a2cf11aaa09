package import CommandKit
package import PRFDevice

extension OpenAuthenticator {
  /// Creates a credential under user verification, with a prompt for the touch.
  ///
  /// - Parameters:
  ///   - request: the credential to create.
  ///   - why: the purpose of the touch, when there is more than one.
  /// - Returns: the created credential.
  /// - Throws: the errors of the PIN, the touch and the device.
  package func create(
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
      // The answer with the credential's ID was lost, so it may exist.
      throw error.adding(
        hint: "the key may have kept a new credential all the same; to see it: "
          + "keybackup credential list --rp-id \(request.rpID)")
    } catch {
      throw error
    }
  }
}

extension UserMessage {
  /// Whether a key that failed with this error may have done the operation.
  fileprivate var leavesDoubt: Bool {
    [.prfUnsupported, .io, .authenticatorLost].contains(code)
  }
}
