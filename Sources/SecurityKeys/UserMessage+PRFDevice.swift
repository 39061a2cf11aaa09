package import CommandKit
internal import Glibc
package import PRFDevice
internal import SecretMemory

extension UserMessage {
  /// The message for a device error.
  ///
  /// - Parameters:
  ///   - error: from the device layer.
  ///   - key: how the security key is called on screen.
  ///   - onReader: whether it is on an NFC or smart-card reader.
  package init(_ error: PRFDeviceError, key: String = "the security key", onReader: Bool = false) {
    if onReader, let message = UserMessage(card: error, key: key) {
      self = message
      return
    }
    self =
      switch error {
      case .noAuthenticator: .noAuthenticator
      case .permissionDenied(let path):
        UserMessage(
          .permissionDenied, "you may not open the security key at \(path)",
          hint: "install the udev rule 70-keybackup.rules, then replug the key\n"
            + "to see how, and what is missing: keybackup doctor")
      case .busy:
        UserMessage(
          .incomplete, word: "busy", "another program is using \(key)",
          hint: "close that program, or wait a moment and try again; else replug the key")
      case .notFIDO2:
        UserMessage(
          .prfUnsupported, "\(key) does not speak FIDO2",
          hint: "use a FIDO2 security key with the hmac-secret extension")
      case .authenticatorLost, .closed:
        UserMessage(
          .authenticatorLost, "\(key) was unplugged before it was done",
          hint: "plug it in and try again")
      case .cancelled: .interrupted
      case .touchTimeout:
        UserMessage(
          .touchTimeout, "\(key) was not touched in time",
          hint: "try again and touch it when it blinks; for more time: --timeout SECONDS")
      case .noAnswer:
        UserMessage(
          .authenticatorLost, key + Self.silence, hint: "replug it and try again")
      case .denied:
        UserMessage(.denied, "the request was refused on \(key)", hint: "try again")
      case .pinInvalid(let retries):
        UserMessage(
          .pinInvalid, "wrong PIN for \(key)" + (retries.map { "; \(Self.tries($0)) left" } ?? ""),
          hint: "at 0 tries the key locks for good; only a reset unlocks it, which destroys every "
            + "credential on it\nif you have forgotten it: keybackup pin --help")
      case .pinAuthBlocked(let retries):
        .pinAuthBlocked(key, retries, restart: "unplug the key and plug it in again")
      case .pinBlocked:
        UserMessage(
          .pinBlocked, "the PIN of \(key) is blocked for good",
          hint: "restore your wallets with another way in first\nonly a reset makes the key usable "
            + "again; it destroys every credential on it: this backup's, website passkeys, SSH keys"
            + "\nbefore you reset it: keybackup pin --help"
        )
      case .pinNotSet:
        UserMessage(
          .pinNotSet, "\(key) has no PIN", hint: "set one first: keybackup pin set")
      case .pinUnsupported:
        UserMessage(
          .prfUnsupported, "\(key) has no PIN feature",
          hint: "use a security key that verifies its user")
      case .pinAlreadySet:
        UserMessage(
          .cannotCreate, "\(key) has a PIN already", hint: "change it: keybackup pin change")
      case .pinChangeRequired:
        UserMessage(
          .pinInvalid, "\(key) wants a new PIN before anything else",
          hint: "no try was spent; to change the PIN: keybackup pin change")
      case .pinRequired:
        UserMessage(
          .config, "the PIN of \(key) is needed and none was given",
          hint: "run the command on a terminal, or give the PIN with --pin-file or --pin-fd, or "
            + "name a program in KEYBACKUP_ASKPASS")
      case .pinPolicyViolation(let rule): UserMessage(rule)
      case .pinAuthInvalid:
        UserMessage(
          .pinInvalid, "\(key) did not accept the proof of its PIN",
          hint: "replug it and try again")
      case .uvBlocked:
        UserMessage(
          .pinBlocked, "the fingerprint reader of \(key) is blocked", hint: "use its PIN")
      case .uvInvalid:
        UserMessage(.pinInvalid, "the fingerprint did not match", hint: "try again")
      case .userVerificationMissing:
        UserMessage(
          .prfUnsupported, "\(key) answered without verifying its user",
          hint: "without PIN or fingerprint it gives another secret; nothing was used")
      case .noCredentials:
        UserMessage(
          .wrongKey, "\(key) holds no credential for this", hint: "try another security key")
      case .keyStoreFull:
        UserMessage(
          .authenticatorFull, "\(key) has no room for another credential",
          hint: "use --non-discoverable, or delete a credential; to see them: keybackup credential "
            + "list")
      case .discoverableUnsupported:
        UserMessage(
          .authenticatorFull, "\(key) stores no credentials", hint: "use --non-discoverable")
      case .credentialExcluded:
        UserMessage(
          .cannotCreate, "\(key) is enrolled already", hint: "to see it: keybackup key list")
      case .prfUnsupported:
        UserMessage(
          .prfUnsupported, "\(key) has no hmac-secret extension",
          hint: "use a FIDO2 security key that has it; to see which do: keybackup devices")
      case .prfNotDelivered:
        UserMessage(
          .prfUnsupported, "\(key) claims to support hmac-secret, but gave no output",
          hint: "this key cannot be used; try another model")
      case .prfWrongLength(let count):
        UserMessage(
          .prfUnsupported, "\(key) gave an hmac-secret output of a wrong length (\(count) bytes)",
          hint: "this key cannot be used; try another model")
      case .credentialManagementUnsupported:
        UserMessage(
          .prfUnsupported, "\(key) cannot list or delete its credentials",
          hint: "use a key whose firmware has CTAP 2.1")
      case .requestTooLarge:
        UserMessage(
          .usage, "the request is too large for \(key)",
          hint: "name one credential with --credential")
      case .invalidInput(let what):
        UserMessage(.internalError, "a wrong parameter reached the device layer: \(what)")
      case .protocolViolation(let what):
        UserMessage(
          .prfUnsupported, "\(key) gave an answer that breaks the protocol: \(what)",
          hint: "replug it and try again; if the error stays, this key cannot be used")
      case .transport(let code):
        UserMessage(
          .io, "the connection to \(key) failed (\(error.statusName ?? "libfido2 error \(code)"))",
          hint: "replug it and try again")
      case .authenticator(let code):
        UserMessage(
          .io,
          code < 0
            ? "libfido2 reported \(error.statusName ?? "an error") (\(code)) for \(key)"
            : "\(key) reported \(error.statusName ?? "an error") (0x\(String(code, radix: 16)))",
          hint: "replug it and try again")
      case .system(let code) where Int32(code) == EMFILE || Int32(code) == ENFILE:
        UserMessage(
          .io, "no security key could be looked for: \(systemText(Int32(code)))",
          hint: "close other programs, or allow this one more open files: ulimit -n 1024")
      case .system(let code):
        UserMessage(.io, "the system refused access to \(key): \(systemText(Int32(code)))")
      }
  }

  /// Nothing plugged in.
  package static let noAuthenticator = UserMessage(
    .noAuthenticator, "no security key found",
    hint: "plug one in, or let keybackup wait for it: --wait SECONDS")

  /// Three wrong PINs in a row: the key takes the next one after a restart.
  ///
  /// - Parameters:
  ///   - key: how it is called on screen.
  ///   - retries: how many tries it then has.
  ///   - restart: how it is restarted.
  /// - Returns: the message.
  static func pinAuthBlocked(_ key: String, _ retries: Int?, restart: String) -> UserMessage {
    var left = retries.map { "\(tries($0)) left; " } ?? ""
    if let retries, retries <= 2 {
      left = "\(tries(retries)) left, which keybackup uses only with --allow-last-tries; "
    }
    return UserMessage(
      .pinBlocked, "too many wrong PINs in a row: \(key) accepts none until it is restarted",
      hint: "\(restart), then enter the right PIN\n" + left
        + "at 0 the key locks for good, and only a reset, which destroys every credential on it, "
        + "unlocks it\nif you have forgotten it: keybackup pin --help")
  }

  /// "1 try", "3 tries".
  package static func tries(_ count: Int) -> String { count == 1 ? "1 try" : "\(count) tries" }

  private init(_ rule: PINRule) {
    let text =
      switch rule {
      case .tooShort: "the PIN is too short: at least 4 characters"
      case .tooLong: "the PIN is too long: at most 63 bytes"
      case .notText(let flaw): "the PIN \(flaw.words)"
      case .authenticatorPolicy: "the security key refuses this PIN: too short or too simple for it"
      }
    let isTyped = if case .notText = rule { true } else { false }
    self = UserMessage(
      .dataInvalid, text,
      hint: "no try was spent; " + (isTyped ? "give the PIN again" : "choose another PIN"))
  }
}
