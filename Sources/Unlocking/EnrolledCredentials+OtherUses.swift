package import CommandKit
package import PRFDevice
package import SecurityKeys

extension EnrolledCredentials {
  /// Evaluates the PRF of a credential that opens no backup, for another use than a backup.
  ///
  /// - Parameters:
  ///   - request: the inputs, with the credentials that a person named, if any.
  ///   - finder: finds the security key.
  ///   - why: what the touch is for.
  ///   - options: the options that name the credential, for messages.
  ///   - none: the message where the security key of this name holds no discoverable credential.
  /// - Returns: the outputs for the only credential that answers.
  /// - Throws: `usage` for a credential that opens a backup, `wrong-key`, `ambiguous`, and the errors
  ///   of the security key.
  package func otherEvaluation(
    _ request: PRFRequest, _ finder: AuthenticatorFinder, why: String? = nil, options: String,
    none: (String) -> UserMessage
  ) async throws(UserMessage) -> PRFEvaluation {
    for id in request.credentialIDs { try refuse(id.bytes, insteadOf: Self.creation) }
    let (key, held) = try await Self.key(for: request, finder, options)
    var request = request
    if let held { request.credentialIDs = [held] } else { try await key.requirePRF() }
    do throws(UserMessage) {
      let evaluation = try await key.onlyEvaluation(request, why: why)
      try refuse(evaluation.credentialID.bytes, insteadOf: Self.creation)
      return evaluation
    } catch  where error.code == .wrongKey && request.credentialIDs.isEmpty {
      throw none(key.name)
    }
  }

  private static let creation = "credential create"

  private static func key(
    for request: PRFRequest, _ finder: AuthenticatorFinder, _ options: String
  ) async throws(UserMessage) -> (OpenAuthenticator, CredentialID?) {
    do throws(UserMessage) {
      return try await finder.key(holding: request.credentialIDs, rpID: request.rpID)
    } catch  where error.code == .wrongKey {
      throw UserMessage(
        .wrongKey, "no security key in reach holds this credential for \(request.rpID)",
        hint: "plug in the one it was made on, and check \(options)"
          + (finder.options.device == nil
            ? "\nif its protection level is 3, the key shows it only after the PIN: name the key with "
              + "--device PATH; to see the paths: keybackup devices" : ""))
    }
  }
}
