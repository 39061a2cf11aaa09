import PRFDevice
import SecretMemory

/// A use that the product makes of a key.
enum Use: UInt8, CaseIterable, Sendable {
  case evaluate, discover, evaluateTwo, holds, holdsMany, create, createExcluding
  case info, retries, list, delete, setPIN, changePIN

  private static let rpID = "keybackup:"
  private static let known = CredentialID(KeyKind.credentials[0])
  private static let unknown = CredentialID([UInt8](repeating: 9, count: 100))

  func perform(
    with authenticator: Authenticator, pin: PIN?
  ) async throws(PRFDeviceError) {
    switch self {
    case .evaluate, .discover, .evaluateTwo:
      let request = PRFRequest(
        rpID: Self.rpID, credentialIDs: self == .discover ? [] : [Self.known],
        first: .webAuthn([1]), second: self == .evaluateTwo ? .webAuthn([2]) : nil)
      let evaluations = try await authenticator.evaluate(request, pin: pin)
      precondition(!evaluations.isEmpty)
      for evaluation in evaluations {
        precondition(evaluation.hasSecond == (self == .evaluateTwo))
        precondition(self == .discover || evaluation.credentialID == Self.known)
        precondition(evaluation.first().count == 32)
      }
    case .holds, .holdsMany:
      let asked =
        self == .holds ? [Self.unknown, Self.known] : Array(repeating: Self.unknown, count: 12)
      if case .yes(let held) = try await authenticator.holds(asked, rpID: Self.rpID) {
        precondition(asked.contains(held))
      }
    case .create, .createExcluding:
      let made = try await authenticator.createCredential(
        CredentialRequest(
          rpID: Self.rpID, rpName: "keybackup", userName: "a", userDisplayName: "b",
          isDiscoverable: self == .create,
          excludedIDs: self == .create ? [] : [Self.unknown, Self.known],
          protection: .userVerificationOptionalWithCredentialID), pin: pin)
      precondition(!made.id.bytes.isEmpty)
    case .info: _ = try await authenticator.info()
    case .retries: _ = try await authenticator.pinRetries()
    case .list:
      if let pin { _ = try await authenticator.credentials(pin: pin) }
    case .delete:
      if let pin { try await authenticator.deleteCredential(Self.known, pin: pin) }
    case .setPIN:
      if let pin { try await authenticator.setPIN(pin) }
    case .changePIN:
      if let pin { try await authenticator.changePIN(from: pin, to: pin) }
    }
  }
}
