extension Fault {
  /// Parses one fault in the form of ``help``; nil for any other text.
  public init?(_ text: String) {
    var occurrence: Int?
    var description = text[...]
    if let at = text.lastIndex(of: "@") {
      guard let number = Int(text[text.index(after: at)...]), number > 0 else { return nil }
      occurrence = number
      description = text[..<at]
    }
    guard let kind = Self.kind(description) else { return nil }
    self.init(kind: kind, occurrence: occurrence)
  }

  /// Every fault in its written form, with its effect.
  public static let help: String = {
    var entries = simple.map { ($0, $2) } + numbered.map { ($0 + "=N", $2) }
    entries += aboutCommands.map { ($0 + ":COMMAND", $2) }
    entries += DeliveryFault.allCases.map { ($0.rawValue + ":COMMAND", $0.meaning) }
    entries.append(("error:COMMAND=CODE", "it is answered with this status"))
    return entries.map { name, meaning in "  \(name): \(meaning)" }.joined(separator: "\n")
      + "\nCOMMAND as in getAssertion or 0x02; with @N for the Nth such command only."
  }()

  private static let simple: [(String, Kind, String)] = [
    ("hmac-secret-missing", .hmacSecret(.missing), "advertised, and never delivered"),
    ("hmac-secret-unstable", .hmacSecret(.unstable), "every evaluation gives other bytes"),
    ("hmac-secret-plain", .hmacSecret(.plain), "the output is not encrypted"),
    ("hmac-secret-sealed-twice", .hmacSecret(.sealedTwice), "it is encrypted twice"),
    ("hmac-secret-zero", .hmacSecret(.zero), "it is all zeros"),
    ("hmac-secret-echo", .hmacSecret(.echo), "it is the salt"),
    ("hmac-secret-ignores-salt", .hmacSecret(.ignoresSalt), "every salt gives the same"),
    ("hmac-secret-unverified", .hmacSecret(.unverified), "that of requests without verification"),
    ("uv-flag-missing", .lie(.verificationFlagMissing), "verification is not claimed"),
    ("uv-flag-forged", .lie(.verificationFlagForged), "it is claimed without having happened"),
    ("credential-id-unknown", .lie(.unknownCredentialID), "another, unknown credential answers"),
    (
      "credential-id-mixed-up", .lie(.mixedUpCredentialID), "another one of those asked for answers"
    ),
    ("created-id-differs", .lie(.createdIDDiffers), "a new credential is called otherwise"),
    ("signature-wrong", .lie(.signatureWrong), "assertions do not verify"),
    ("info-less", .lie(.infoLess), "getInfo tells versions and model only"),
    ("info-more", .lie(.infoMore), "getInfo tells abilities that are not there"),
    ("info-huge", .lie(.infoHuge), "getInfo tells thousands of bytes"),
    ("init-old-nonce", .oldNonce, "INIT is answered with another nonce"),
    ("init-silent", .silentInitialisation, "INIT is never answered"),
    ("key-agreement-invalid", .lie(.keyAgreementInvalid), "the key's point is not on the curve"),
    ("pin-token-random", .lie(.pinTokenRandom), "a PIN token that nobody issued"),
    ("storage-full", .storageFull, "no room for a discoverable credential"),
    ("rp-id-truncated", .relyingPartyIDTruncated, "a listed relying party ID has 32 bytes"),
    ("unplug-on-touch", .unplugOnTouch, "the key goes when it asks for a touch"),
  ]

  private static let numbered: [(String, @Sendable (Int) -> Kind?, String)] = [
    (
      "hmac-secret-length",
      { $0 >= 0 && $0.isMultiple(of: 16) ? .hmacSecret(.length($0)) : nil },
      "the output has N bytes, a multiple of 16"
    ),
    ("pin-retries", { .lie(.pinRetries($0)) }, "this many tries are left"),
    (
      "pin-token-length", { $0 >= 0 && $0 <= 4096 ? .lie(.pinTokenLength($0)) : nil },
      "the encrypted PIN token has N bytes"
    ),
    ("assertions", { $0 > 0 ? .lie(.assertions($0)) : nil }, "one credential answers N times"),
    ("assertion-count", { .lie(.assertionCount($0)) }, "N answers are announced, one comes"),
    ("rp-count", { .lie(.relyingPartyCount($0)) }, "N relying parties are announced"),
    ("credential-count", { .lie(.credentialCount($0)) }, "N credentials are announced"),
  ]

  private static let aboutCommands: [(String, @Sendable (CTAPCommand) -> Kind, String)] = [
    ("unplug", { .unplug($0) }, "the key goes when it gets it"),
    ("other-rp", { .lie(.otherRelyingParty($0)) }, "the answer is for another relying party"),
  ]

  private static func kind(_ text: Substring) -> Kind? {
    if let found = simple.first(where: { $0.0 == text }) { return found.1 }
    let parts = text.split(separator: ":", maxSplits: 1)
    guard parts.count == 2 else {
      let sides = text.split(separator: "=", maxSplits: 1)
      guard sides.count == 2, let number = Int(sides[1]) else { return nil }
      return numbered.first { $0.0 == sides[0] }?.1(number)
    }
    if parts[0] == "error" {
      let sides = parts[1].split(separator: "=", maxSplits: 1)
      guard sides.count == 2, let command = CTAPCommand(named: sides[0]),
        let code = UInt8(number: sides[1])
      else { return nil }
      return .error(command, code)
    }
    guard let command = CTAPCommand(named: parts[1]) else { return nil }
    if let fault = DeliveryFault(rawValue: String(parts[0])) { return .delivery(fault, command) }
    return aboutCommands.first { $0.0 == parts[0] }?.1(command)
  }
}

extension Fault.DeliveryFault {
  fileprivate var meaning: String {
    switch self {
    case .silent: "it is never answered"
    case .garbage: "success and bytes that are not CBOR"
    case .random: "success and 200 bytes that mean nothing"
    case .truncated: "the first half of the answer's CBOR"
    case .oversized: "the answer's CBOR and thousands of bytes more"
    case .keepalives: "keepalives without end, which no CANCEL ends"
    case .wrongChannel: "the answer comes on another channel"
    case .twice: "the answer comes twice"
    case .cutOff: "fewer packets than the answer's length says"
    case .outOfOrder: "the answer's packets come in another order"
    }
  }
}
