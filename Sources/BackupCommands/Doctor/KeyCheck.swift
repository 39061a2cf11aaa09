internal import CommandKit
internal import PRFDevice
internal import SecurityKeys

/// The abilities of one security key, and whether they are enough.
enum KeyCheck {
  /// No key in reach.
  static func none(_ path: String?) -> Check {
    .failed(
      "key", .noAuthenticator,
      path.map { "no security key at \($0)" } ?? "no security key is plugged in or on a reader",
      hint: "plug one in, and run keybackup doctor again")
  }

  static func run(_ descriptor: AuthenticatorDescriptor, _ finder: AuthenticatorFinder) async
    -> Check
  {
    let name = "key \(PrintableText.name(descriptor.path))"
    do throws(UserMessage) {
      let key = try await finder.open(descriptor)
      let (info, retries) = try await key.description()
      await key.authenticator.close()
      var check = verdict(name, key.name, info, retries)
      check.details = details(descriptor, info, retries)
      return check
    } catch {
      return .failed(name, error)
    }
  }

  private static func verdict(
    _ name: String, _ product: String, _ info: AuthenticatorInfo, _ retries: Int?
  ) -> Check {
    if let obstacle = obstacle(product, info, retries) { return .failed(name, obstacle) }
    let abilities = abilities(info, retries).joined(separator: ", ")
    let message = "\(product) can be used: \(abilities)"
    if let retries, retries <= 2 {
      return .warning(
        name, message,
        hint:
          "enter the right PIN once, with --allow-last-tries: then all tries are back")
    }
    if info.remainingDiscoverableCredentials == 0 {
      return .warning(
        name, message,
        hint:
          "no slot is left; use --non-discoverable, or see what could go: keybackup credential list"
      )
    }
    return .ok(name, message)
  }

  /// Why a key cannot be used as it is.
  private static func obstacle(
    _ product: String, _ info: AuthenticatorInfo, _ retries: Int?
  ) -> UserMessage? {
    guard info.supportsPRF else { return UserMessage(.prfUnsupported, key: product) }
    guard info.isPINSet || info.hasBuiltInUserVerification else {
      return info.supportsPIN
        ? UserMessage(.pinNotSet, key: product) : UserMessage(.pinUnsupported, key: product)
    }
    if retries == 0, !info.hasBuiltInUserVerification {
      return UserMessage(.pinBlocked, key: product)
    }
    if info.needsPINChange { return UserMessage(.pinChangeRequired, key: product) }
    guard !Set(info.pinProtocols).isDisjoint(with: [1, 2]) else {
      return UserMessage(
        .prfUnsupported, "\(product) has no PIN protocol that keybackup knows",
        hint: "use another security key")
    }
    return nil
  }

  private static func abilities(_ info: AuthenticatorInfo, _ retries: Int?) -> [String] {
    var abilities = ["hmac-secret"]
    if let retries {
      abilities.append(
        "PIN set (\(UserMessage.tries(retries)) left, at least \(info.minimumPINLength) characters)"
      )
    }
    if info.hasBuiltInUserVerification { abilities.append("fingerprint or other verification") }
    if info.alwaysVerifiesUser { abilities.append("always verifies its user") }
    abilities.append(
      "PIN protocols " + info.pinProtocols.map(String.init).joined(separator: " and "))
    if info.supportsDiscoverableCredentials {
      abilities.append(
        info.remainingDiscoverableCredentials.map { counted($0, "slot") + " left" }
          ?? "stores credentials")
    } else {
      abilities.append("stores no credentials (use init --non-discoverable)")
    }
    abilities.append(info.supportsCredentialProtection ? "credProtect" : "no credProtect")
    if !info.supportsCredentialManagement { abilities.append("cannot list or delete credentials") }
    return abilities
  }

  private static func details(
    _ descriptor: AuthenticatorDescriptor, _ info: AuthenticatorInfo, _ retries: Int?
  ) -> [String: JSONOutput] {
    [
      "path": .string(descriptor.path), "product": .string(descriptor.product),
      "transport": .string(descriptor.transport.rawValue),
      "aaguid": .string(info.aaguid.description),
      "versions": .array(info.versions.map(JSONOutput.string)),
      "firmware": .number(Int(clamping: info.firmwareVersion)),
      "hmac_secret": .bool(info.supportsPRF), "pin_set": .bool(info.isPINSet),
      "pin_retries": .optional(retries), "minimum_pin_length": .number(info.minimumPINLength),
      "must_change_pin": .bool(info.needsPINChange),
      "pin_protocols": .array(info.pinProtocols.map(JSONOutput.number)),
      "uv": .bool(info.hasBuiltInUserVerification), "always_uv": .bool(info.alwaysVerifiesUser),
      "rk": .bool(info.supportsDiscoverableCredentials),
      "slots_left": .optional(info.remainingDiscoverableCredentials),
      "cred_protect": .bool(info.supportsCredentialProtection),
      "cred_management": .bool(info.supportsCredentialManagement),
    ]
  }
}
