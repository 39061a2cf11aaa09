internal import CSPP

/// A request to ODIS about a file, signed by the key that the file's nonce gives.
///
/// Anyone who has the file can make one: that uses up tries, or ends them all.
package struct ODISRequest: Sendable {
  /// A kind of request.
  package enum Kind: Sendable, Equatable {
    /// How many queries were answered so far.
    case quota
    /// That no query is ever answered again.
    case disable
    /// The answer to a message that was blinded with BLS12-377, which is not done here; in base64.
    case sign(blindedMessage: String)

    /// The path of the service that takes it.
    package var endpoint: String {
      switch self {
      case .quota: "/domain/quotaStatus"
      case .disable: "/domain/disable"
      case .sign: "/domain/sign"
      }
    }

    fileprivate var type: String {
      switch self {
      case .quota: "DomainQuotaStatusRequest"
      case .disable: "DisableDomainRequest"
      case .sign: "DomainRestrictedSignatureRequest"
      }
    }

    fileprivate var application: String {
      switch self {
      case .quota: "ODIS Domain Quota Status"
      case .disable: "ODIS Disable Domain Request"
      case .sign: "ODIS Domain Restricted Signature Request"
      }
    }
  }

  private let domain: SequentialDelayDomain
  /// The kind of the request.
  package let kind: Kind
  private let counter: EIP712Optional<UInt64>
  private let session: EIP712Optional<String>
  /// The signed hash, 32 bytes.
  package let hash: [UInt8]
  /// `0x` and 130 hex digits; nil where the domain names no address, and requests are not signed.
  package let signature: String?

  /// Makes and signs a request.
  ///
  /// - Parameters:
  ///   - kind: what is asked.
  ///   - backup: the file.
  ///   - counter: the number of queries that were answered, which the service compares; nil: left
  ///     undefined.
  ///   - session: any text, by which the service's operators find the request; nil: undefined.
  /// - Throws: `missing` for a file without ODIS.
  package init(
    _ kind: Kind, for backup: CeloBackup, counter: UInt64?, session: String?
  ) throws(ForeignBackupError) {
    guard let domain = backup.odisDomain else { throw .missing(part: "the field odisDomain") }
    self.domain = domain
    self.kind = kind
    self.counter = EIP712Optional(isDefined: counter != nil, value: counter ?? 0)
    self.session = EIP712Optional(isDefined: session != nil, value: session ?? "")
    hash = Self.hash(kind, domain, self.counter, self.session)
    signature =
      domain.signer == nil ? nil : try backup.authorizationKey().signature(of: hash)
  }

  /// The request's body, in the order of Celo's own program.
  package var json: String {
    let signature = EIP712Optional(isDefined: signature != nil, value: signature ?? "")
    var blindedMessage: String?
    if case .sign(let message) = kind { blindedMessage = JSONText.quoted(message) }
    return JSONText.object([
      ("type", JSONText.quoted(kind.type)), ("domain", domain.json),
      (
        "options",
        "{\"signature\":\(signature.json(JSONText.quoted)),"
          + "\"nonce\":\(counter.json { String($0) })}"
      ), ("blindedMessage", blindedMessage), ("sessionID", session.json(JSONText.quoted)),
    ])
  }

  /// EIP-712's hash of the request without a signature.
  private static func hash(
    _ kind: Kind, _ domain: SequentialDelayDomain, _ counter: EIP712Optional<UInt64>,
    _ session: EIP712Optional<String>
  ) -> [UInt8] {
    let options = EIP712.structure(
      optionsType + EIP712Optional<Bool>.encodedType("string")
        + EIP712Optional<Bool>.encodedType("uint256"),
      [
        counter.word("uint256") { EIP712.word($0) },
        EIP712Optional(isDefined: false, value: "").word("string") { EIP712.word($0) },
      ])
    var fields = "string type,"
    var words = [EIP712.word(kind.type)]
    if case .sign(let message) = kind {
      fields += "string blindedMessage,"
      words.append(EIP712.word(message))
    }
    fields +=
      "SequentialDelayDomain domain,SequentialDelayDomainOptions options,"
      + "Optional<string> sessionID"
    words += [domain.word, options, session.word("string") { EIP712.word($0) }]
    // The structs within, sorted by their names.
    let within =
      SequentialDelayDomain.typesWithin
      + [SequentialDelayDomain.ownType, optionsType]
    return EIP712.hash(
      name: kind.application, version: "1",
      message: EIP712.structure(
        "\(kind.type)(\(fields))" + within.sorted().joined(), words))
  }

  private static let optionsType =
    "SequentialDelayDomainOptions(Optional<uint256> nonce,Optional<string> signature)"
}
