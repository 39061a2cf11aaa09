import FoundationEssentials

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

/// What is left of an enumeration that has begun.
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
      try authorize(request, [UInt8(number)] + rawParameters, parameters)
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
      guard let hash = parameters?[1]?.bytes else { throw .status(.missingParameter) }
      let found = store.snapshot.credentials.filter { $0.rpIDHash == hash }
      enumeration = .credentials(found)
      return try nextCredential(total: found.count)
    case .deleteCredential:
      try change(parameters) { state, index in state.credentials.remove(at: index) }
    case .updateUserInformation:
      guard let user = parameters?[3], let userID = user["id"]?.bytes else {
        throw .status(.missingParameter)
      }
      try change(parameters) { state, index in
        guard state.credentials[index].userID == userID else { return }
        state.credentials[index].userName = user["name"]?.text
        state.credentials[index].userDisplayName = user["displayName"]?.text
      }
    default: break
    }
    return nil
  }

  private func authorize(
    _ request: CBOR, _ message: [UInt8], _ parameters: CBOR?
  ) throws(CommandFailure) {
    guard let code = request[4]?.bytes else {
      throw .status(request[4] == nil ? .puatRequired : .cborUnexpectedType)
    }
    let index = try protocolIndex(request[3])
    let token = protocols[index].token
    guard protocols[index].tokenVerifies(message, code),
      token.permissions.contains(.credentialManagement)
    else { throw .status(.pinAuthInvalid) }
    guard let rpID = token.rpID else { return }
    // A token for one relying party manages that one's credentials only.
    let own = store.snapshot.credentials.filter { $0.rpID == rpID }
    let hash = parameters?[1]?.bytes
    let id = parameters?[2]?["id"]?.bytes
    guard own.contains(where: { $0.rpIDHash == hash || $0.id == id }) else {
      throw .status(.pinAuthInvalid)
    }
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
          ("id", .text(credential.rpID)), ("name", credential.rpName.map(CBOR.text)),
        ])
      ),
      (4, .bytes(credential.rpIDHash)),
      (5, total.map(CBOR.integer)),
    ])
  }

  private func nextCredential(total: Int?) throws(CommandFailure) -> CBOR {
    guard case .credentials(var rest) = enumeration else { throw .status(.notAllowed) }
    guard !rest.isEmpty else { throw .status(.noCredentials) }
    let credential = rest.removeFirst()
    enumeration = rest.isEmpty ? nil : .credentials(rest)
    return .fields([
      (6, user(credential, named: true)),
      (7, .named([("id", .bytes(credential.id)), ("type", .text("public-key"))])),
      (8, credential.publicKey),
      (9, total.map(CBOR.integer)),
      (10, .integer(max(1, credential.protection))),
    ])
  }

  /// Changes the stored credential that the parameters name.
  private func change(
    _ parameters: CBOR?, _ body: (inout KeyState, Int) -> Void
  ) throws(CommandFailure) {
    guard let id = parameters?[2]?["id"]?.bytes else { throw .status(.missingParameter) }
    let found = try update { state in
      guard let index = state.credentials.firstIndex(where: { $0.id == id }) else { return false }
      body(&state, index)
      return true
    }
    guard found else { throw .status(.noCredentials) }
  }
}
