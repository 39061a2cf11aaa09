internal import ArgumentParser
internal import GuardService

/// The issuers whose logins the guard accepts.
struct LoginOptions: ParsableArguments {
  @Option(
    name: .customLong("issuer"), parsing: .singleValue,
    help: ArgumentHelp(
      "An issuer of ID tokens, as they name it. May be given several times, each time with its "
        + "--client-id.", valueName: "url"))
  var issuers: [String] = []

  @Option(
    name: .customLong("client-id"), parsing: .singleValue,
    help: ArgumentHelp(
      "The client ID that its tokens are for: the first belongs to the first issuer, and so on.",
      valueName: "id"))
  var clientIDs: [String] = []

  @Option(
    name: .customLong("issuer-ca"),
    help: ArgumentHelp(
      "Trust the authorities in this PEM file for issuers, instead of the system's.",
      valueName: "file"))
  var authorities: String?

  func validate() throws {
    guard issuers.count == clientIDs.count else {
      throw ValidationError("every --issuer needs a --client-id")
    }
  }

  /// The check of ID tokens.
  func verifier() throws(GuardToolError) -> IDTokenVerifier {
    var clients: [String: Set<String>] = [:]
    var order: [String] = []
    for (issuer, client) in zip(issuers, clientIDs) {
      if clients[issuer] == nil { order.append(issuer) }
      clients[issuer, default: []].insert(client)
    }
    guard order.count <= 16 else {
      throw GuardToolError(.usage, "a guard can have at most 16 issuers")
    }
    var known: [LoginIssuer] = []
    for name in order {
      guard let issuer = LoginIssuer(name, clientIDs: clients[name] ?? []) else {
        throw GuardToolError(
          .usage, "the issuer \(name) or its client ID cannot be used",
          hint: "an issuer is https://..., exactly as its tokens name it in iss")
      }
      known.append(issuer)
    }
    return IDTokenVerifier(known, authorities: authorities.map { StateOptions.absolute($0) })
  }
}
