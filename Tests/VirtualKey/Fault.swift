/// One thing that goes wrong on purpose.
public struct Fault: Sendable, Equatable {
  enum Kind: Sendable, Equatable {
    /// hmac-secret is advertised, and never delivered in an assertion.
    case hmacSecretMissing
    /// The decrypted hmac-secret output has this many bytes (a multiple of 16).
    case hmacSecretLength(Int)
    /// Every evaluation gives other bytes.
    case hmacSecretUnstable
    /// The answer does not claim user verification although it took place.
    case verificationFlagMissing
    /// There is no room for another discoverable credential.
    case storageFull
    /// The key keeps only the beginning of a long relying party ID.
    case relyingPartyIDTruncated
    /// The key goes away as soon as it asks for a touch.
    case unplugOnTouch
    /// The key goes away when it gets this command.
    case unplug(CTAPCommand)
    /// The key answers this command with an error.
    case error(CTAPCommand, UInt8)
    /// The key never answers this command.
    case silent(CTAPCommand)
    /// The key answers this command with success and bytes that are not CBOR.
    case garbage(CTAPCommand)
  }

  let kind: Kind
  /// Only the Nth such command of this power cycle, counted from 1.
  let occurrence: Int?

  /// Reads one of: hmac-secret-missing, hmac-secret-length=N, hmac-secret-unstable, uv-
  /// flag-missing, storage-full, rp-id-truncated, unplug-on-touch, unplug:COMMAND, error:COMMAND=CODE,
  /// silent:COMMAND, garbage:COMMAND; a command may be followed by @N for the Nth time
  /// only.
  ///
  /// Nil for anything else.
  public init?(_ text: String) {
    var occurrence: Int?
    var description = text[...]
    if let at = text.lastIndex(of: "@") {
      guard let number = Int(text[text.index(after: at)...]), number > 0 else { return nil }
      occurrence = number
      description = text[..<at]
    }
    guard let kind = Self.kind(description) else { return nil }
    self.kind = kind
    self.occurrence = occurrence
  }

  /// Whether it ends with the key gone.
  public var unplugs: Bool {
    switch kind {
    case .unplugOnTouch, .unplug: true
    default: false
    }
  }

  private static func kind(_ text: Substring) -> Kind? {
    switch text {
    case "hmac-secret-missing": return .hmacSecretMissing
    case "hmac-secret-unstable": return .hmacSecretUnstable
    case "uv-flag-missing": return .verificationFlagMissing
    case "storage-full": return .storageFull
    case "rp-id-truncated": return .relyingPartyIDTruncated
    case "unplug-on-touch": return .unplugOnTouch
    default: break
    }
    if text.hasPrefix("hmac-secret-length=") {
      let length = Int(text.dropFirst("hmac-secret-length=".count))
      return length.flatMap { $0 >= 0 && $0.isMultiple(of: 16) ? .hmacSecretLength($0) : nil }
    }
    let parts = text.split(separator: ":", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    if parts[0] == "error" {
      let sides = parts[1].split(separator: "=", maxSplits: 1)
      guard sides.count == 2, let command = CTAPCommand(named: sides[0]),
        let code = UInt8(number: sides[1])
      else { return nil }
      return .error(command, code)
    }
    guard let command = CTAPCommand(named: parts[1]) else { return nil }
    switch parts[0] {
    case "unplug": return .unplug(command)
    case "silent": return .silent(command)
    case "garbage": return .garbage(command)
    default: return nil
    }
  }
}
