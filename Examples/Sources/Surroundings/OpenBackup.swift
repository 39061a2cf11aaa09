import BackupFolder
import CSPP
import Glibc
import PRFDevice
import SecretMemory

/// Why a backup could not be opened here.
public enum OpeningError: Error {
  /// No security key that is plugged in opens this backup.
  case noKeyHere
}

/// A backup folder, and what your program may remember of it.
///
/// The state folder must be your program's own: two programs must not share one.
public func folder(at path: String, stateFolder: String) throws -> BackupFolder {
  let settings = BackupFolder.Settings(
    stateFolder: stateFolder, writerLabel: "example", clock: { UInt64(time(nil)) })
  return try BackupFolder.open(path: path, settings: settings)
}

/// Opens a backup with the security key that is plugged in: one PIN, one touch.
public func open(
  _ folder: BackupFolder, pin: borrowing SecretBytes, for purpose: OpenNamespace.Purpose
) async throws -> OpenNamespace {
  // The backup in this folder: its ways in are known before anything is opened.
  let namespace = try folder.namespace()
  let slots = try namespace.scan().keySlots.filter { $0.kind == .securityKey }

  for descriptor in try await AuthenticatorList.connected() {
    let authenticator = try await Authenticator.open(descriptor)
    for slot in slots {
      guard let rpID = slot.rpID, let id = slot.credentialID else { continue }
      // No PIN and no touch yet: the key only says whether the credential is its own.
      let holding = try await authenticator.holds([CredentialID(id)], rpID: rpID)
      guard case .yes(let credential) = holding else { continue }
      let request = PRFRequest(
        rpID: rpID, credentialIDs: [credential], first: .webAuthn(slot.prfSalt))
      let answers = try await authenticator.evaluate(request, pin: PIN(pin)) {
        tell("Touch the security key now.")
      }
      await authenticator.close()
      let masterKey = try slot.unwrap(secret: answers[0].first())
      return try namespace.open(masterKey, by: slot.keyID, for: purpose)
    }
    await authenticator.close()
  }
  throw OpeningError.noKeyHere
}
