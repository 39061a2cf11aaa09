import FoundationEssentials
import OpenSSLCrypto

/// The subcommands of authenticatorCredentialManagement (CTAP 2.1 section 6.8).
enum ManagementSubcommand: Int {
  case getCredsMetadata = 1
  case enumerateRPsBegin = 2
  case enumerateRPsNext = 3
  case enumerateCredentialsBegin = 4
  case enumerateCredentialsNext = 5
  case deleteCredential = 6
  case updateUserInformation = 7
}

/// The rest of an enumeration that has begun.
enum CredentialEnumeration {
  case relyingParties([Credential])
  case credentials([Credential])
}

extension Authenticator {
  func manageCredentials(
    _ request: CBOR, rawParameters: [UInt8]
  ) throws(CommandFailure) -> CBOR? {
    guard let number = request[1]?.integer else { throw .status(.missingParameter) }
    guard let subcommand = ManagementSubcommand(rawValue: number) else {
      throw .status(.invalidParameter)
    }
    let parameters = request[2]
    switch subcommand {
    case .enumerateRPsNext: return try nextRelyingParty(total: nil)
    case .enumerateCredentialsNext: return try nextCredential(total: nil)
    default:
      enumeration = nil
      try authorize(subcommand, request, [UInt8(number)] + rawParameters)
    }
    switch subcommand {
    case .getCredsMetadata:
      let count = store.snapshot.credentials.count
      return .fields([
        (1, .integer(count)),
        (2, .integer(max(0, configuration.discoverableCapacity - count))),
      ])
    case .enumerateRPsBegin:
      var firsts: [Credential] = []
      for credential in store.snapshot.credentials
      where !firsts.contains(where: { $0.rpID == credential.rpID }) {
        firsts.append(credential)
      }
      enumeration = .relyingParties(firsts)
      return try nextRelyingParty(total: firsts.count)
    case .enumerateCredentialsBegin:
      let hash = try required(parameters?[1], \.bytes)
      let found = store.snapshot.credentials.filter { $0.rpIDHash == hash }
      enumeration = .credentials(found)
      return try nextCredential(total: found.count)
    case .deleteCredential:
      try change(parameters) { state, index in
        state.credentials.remove(at: index)
        return true
      }
    case .updateUserInformation:
      let user = try required(parameters?[3], \.self)
      let userID = try required(user["id"], \.bytes)
      try change(parameters) { state, index in
        guard state.credentials[index].userID == userID else { return false }
        state.credentials[index].userName = user["name"]?.text
        state.credentials[index].userDisplayName = user["displayName"]?.text
        return true
      }
    default: break
    }
    return nil
  }

  private func authorize(
    _ subcommand: ManagementSubcommand, _ request: CBOR, _ message: [UInt8]
  ) throws(CommandFailure) {
    guard request[4] != nil else { throw .status(.puatRequired) }
    let code = try required(request[4], \.bytes)
    let index = try protocolIndex(request[3])
    let token = protocols[index].token
    guard protocols[index].tokenVerifies(message, code),
      token.permissions.contains(.credentialManagement)
    else { throw .status(.pinAuthInvalid) }
    guard let rpID = token.rpID else { return }
    // A token for one relying party manages only its credentials.
    let isOwn: Bool
    switch subcommand {
    case .enumerateCredentialsBegin:
      isOwn = request[2]?[1]?.bytes == OpenSSL.sha256(Array(rpID.utf8))
    case .deleteCredential, .updateUserInformation:
      let id = request[2]?[2]?["id"]?.bytes
      isOwn = store.snapshot.credentials.allSatisfy { $0.id != id || $0.rpID == rpID }
    default:
      isOwn = false
    }
    guard isOwn else { throw .status(.pinAuthInvalid) }
  }

  private func nextRelyingParty(total: Int?) throws(CommandFailure) -> CBOR {
    guard case .relyingParties(var rest) = enumeration else { throw .status(.notAllowed) }
    guard !rest.isEmpty else { throw .status(.noCredentials) }
    let credential = rest.removeFirst()
    enumeration = rest.isEmpty ? nil : .relyingParties(rest)
    return .fields([
      (
        3,
        .named([
          ("id", .text(stored(credential.rpID))), ("name", credential.rpName.map(CBOR.text)),
        ])
      ),
      (4, .bytes(credential.rpIDHash)),
      (5, total.map(CBOR.integer)),
    ])
  }

  /// The relying party ID as the key stores it; a key may store only 32 bytes (CTAP 2.1 section
  /// 6.8.7).
  private func stored(_ rpID: String) -> String {
    guard has(.relyingPartyIDTruncated), rpID.utf8.count > 32 else { return rpID }
    return String(decoding: rpID.utf8.prefix(32), as: UTF8.self)
  }

  private func nextCredential(total: Int?) throws(CommandFailure) -> CBOR {
    guard case .credentials(var rest) = enumeration else { throw .status(.notAllowed) }
    guard !rest.isEmpty else { throw .status(.noCredentials) }
    let credential = rest.removeFirst()
    enumeration = rest.isEmpty ? nil : .credentials(rest)
    return .fields([
      (6, user(credential, named: true)),
      (7, .named([("id", .bytes(credential.id)), ("type", .text("public-key"))])),
      (8, configuration.sparesCurves ? Credential.someKey : credential.publicKey),
      (9, total.map(CBOR.integer)),
      (10, .integer(max(1, credential.protection))),
    ])
  }

  /// Changes the stored credential that the parameters name; `body` returns whether the other
  /// parameters match it.
  private func change(
    _ parameters: CBOR?, _ body: (inout KeyState, Int) -> Bool
  ) throws(CommandFailure) {
    let id = try required(parameters?[2]?["id"], \.bytes)
    let fits: Bool? = try update { state in
      state.credentials.firstIndex { $0.id == id }.map { body(&state, $0) }
    }
    guard let fits else { throw .status(.noCredentials) }
    guard fits else { throw .status(.invalidParameter) }
  }
}
