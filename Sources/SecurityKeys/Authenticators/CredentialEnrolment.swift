package import BackupFolder
package import CSPP
package import CommandKit
package import PRFDevice
package import SecretMemory

/// The enrolment of a security key's credential as a key slot.
///
/// One touch creates it, two prove that its secret stays the same.
package struct CredentialEnrolment: Sendable {
  package let key: OpenAuthenticator
  package let rpID: String
  /// The user's name for the key; nil for its product name.
  package var label: String?
  package var isDiscoverable = true
  /// The key is rejected if it holds one of these credentials.
  package var excluded: [CredentialID] = []
  /// The key slot that it replaces.
  package var replaces: KeyID?
  /// The number of touches in this command before these.
  package var touchesBefore = 0

  /// A credential whose secret was reproduced.
  package struct Proven: ~Copyable {
    package let enrolment: Enrolment
    package let credentialID: CredentialID
    package let first: SecretBytes
    package let second: SecretBytes
  }

  package init(
    key: OpenAuthenticator, rpID: String, label: String? = nil, isDiscoverable: Bool = true,
    excluded: [CredentialID] = [], replaces: KeyID? = nil, touchesBefore: Int = 0
  ) {
    self.key = key
    self.rpID = rpID
    self.label = label
    self.isDiscoverable = isDiscoverable
    self.excluded = excluded
    self.replaces = replaces
    self.touchesBefore = touchesBefore
  }

  /// Creates the credential and evaluates its PRF twice; writes nothing itself.
  ///
  /// - Parameters:
  ///   - write: writes the key slot.
  ///   - isRecorded: whether the folder names the credential, or cannot be read.
  /// - Returns: the result of `write`.
  /// - Throws: the errors of the key and `write`, with the credential that is left on the key.
  package func run<R: Sendable>(
    _ write: (borrowing Proven) throws(UserMessage) -> R,
    isRecorded: (CredentialID) -> Bool
  ) async throws(UserMessage) -> R {
    let credential = try await create()
    do throws(UserMessage) {
      return try write(try await prove(credential))
    } catch {
      throw isRecorded(credential.id) ? error : unused(credential.id, error)
    }
  }

  private func create() async throws(UserMessage) -> CreatedCredential {
    let shown = label ?? "keybackup"
    let request = CredentialRequest(
      rpID: rpID, rpName: "keybackup", userName: shown, userDisplayName: shown,
      isDiscoverable: isDiscoverable, excludedIDs: excluded,
      protection: .userVerificationOptionalWithCredentialID)
    return try await key.create(request, why: step(1, "makes the credential"))
  }

  private func prove(_ credential: CreatedCredential) async throws(UserMessage) -> Proven {
    let salt = Randomness.bytes(count: 32)
    var request = PRFRequest(
      rpID: rpID, credentialIDs: [credential.id], first: .webAuthn(salt))
    let first = try await key.onlyOutput(request, why: step(2, "reads the key's secret"))
    // Another salt is evaluated in the same touch. A key that gave the same output for every salt
    // would have one secret for every use, and a new salt would renew nothing.
    request.second = .webAuthn(Randomness.bytes(count: 32))
    let second = try await key.onlyOutput(
      request, why: step(3, "proves that it stays the same"))
    let enrolment = Enrolment(
      label: label ?? key.product,
      kind: .securityKey(
        KeyHeader.SecurityKey(
          rpID: rpID, credentialID: credential.id.bytes, discoverable: isDiscoverable,
          aaguid: credential.aaguid.bytes, prfSalt: salt)), replaces: replaces)
    return Proven(
      enrolment: enrolment, credentialID: credential.id, first: first, second: second)
  }

  private func step(_ number: Int, _ what: String) -> String {
    "\(number + touchesBefore) of \(3 + touchesBefore): \(what)"
  }

  /// Adds that the credential is on the key and unused: it would otherwise stay there unexplained.
  private func unused(_ credential: CredentialID, _ error: UserMessage) -> UserMessage {
    var error = Interruption.received ? error.afterInterruption : error
    if !isDiscoverable { return error }
    if error.code == .wrongKey {
      error = UserMessage(
        .prfUnsupported, "\(key.name) does not know the credential that it has just made",
        hint: "this key cannot be used; try another model")
    }
    return error.adding(
      hint: "an unused credential is left on \(key.name); to delete it: "
        + CredentialIDArgument.deletion(of: credential.bytes, force: true))
  }
}

extension Namespace {
  /// Whether a key slot names a credential, or the files cannot be read.
  package func mayName(_ credential: CredentialID) -> Bool {
    guard let scan = try? scan() else { return true }
    return scan.keySlots.contains { $0.credentialID == credential.bytes }
  }
}
