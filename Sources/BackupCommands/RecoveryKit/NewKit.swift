// This folder is for a new recovery kit: code, second secret, printed pages. The commands
// that make a kit use it. Reading a kit back is Unlocking's.

internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import SecretMemory
internal import Unlocking

/// A recovery kit that is being made.
struct NewKit: ~Copyable {
  let code: RecoveryCode
  let derivation: KeyHeader.CodeDerivation
  let enrolment: Enrolment

  /// Draws a code.
  ///
  /// - Parameters:
  ///   - label: what to call the kit.
  ///   - second: what is needed beside the code.
  /// - Throws: `internal`.
  init(label: String, second: KeyHeader.SecondSecret?) throws(UserMessage) {
    do {
      derivation = try KeyHeader.CodeDerivation(
        cost: KeyHeader.CodeDerivation.standardCost, secondSecret: second)
    } catch {
      throw UserMessage(.internalError, "the cost of a recovery code is out of bounds")
    }
    code = .random()
    enrolment = Enrolment(label: label, kind: .recoveryCode(derivation))
  }

  /// The slot's secret.
  func secret(second: borrowing SecretBytes) throws(UserMessage) -> SecretBytes {
    let derived = try KitAttempt.derive(derivation, code)
    if derivation.secondSecret == nil { return derived }
    return KeyHeader.CodeDerivation.mix(derived, with: second, keyID: enrolment.keyID)
  }

  /// Opens the key slot from the folder with the code as a person will type it.
  ///
  /// - Throws: `internal` when it does not open.
  func prove(second: borrowing SecretBytes, in namespace: Namespace) throws(UserMessage) {
    let failed = UserMessage(
      .internalError, "the recovery kit \(enrolment.keyID.hex) was written and does not open",
      hint: "do not rely on it: make another one, and revoke this one")
    let scan: NamespaceScan
    do throws(BackupFolderError) {
      scan = try namespace.scan()
    } catch {
      throw UserMessage(error)
    }
    guard let slot = scan.keySlots.first(where: { $0.keyID == enrolment.keyID }),
      case .recoveryCode(let stored) = slot.kind,
      let typed = try? RecoveryCode(parsing: code.grouped)
    else { throw failed }
    let derived = try KitAttempt.derive(stored, typed)
    let secret =
      stored.secondSecret == nil
      ? derived
      : KeyHeader.CodeDerivation.mix(derived, with: second, keyID: enrolment.keyID)
    guard let master = try? slot.unwrap(secret: secret), master.namespaceID == namespace.id else {
      throw failed
    }
  }
}

extension KeyHeader.CodeDerivation {
  /// The format's word for what is needed beside the code.
  var secondSecretWord: String? {
    switch secondSecret {
    case nil: nil
    case .file: "file"
    case .keyring: "keyring"
    case .securityKey: "security_key"
    }
  }
}

extension RecoveryCode {
  /// The code as text, for a caller that asked for it to be printed.
  var revealed: String {
    grouped.withBytes { bytes in
      unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
  }
}
