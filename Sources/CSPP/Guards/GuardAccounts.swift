public import SecretMemory

/// An account at a guard, as the log of a backup knows it.
public struct GuardAccount: Hashable, Sendable {
  /// The kind of an account.
  public enum Kind: String, Sendable {
    /// Its secret is an OPRF key.
    case pin
    /// Its secret is a share, released to who logs in.
    case login
  }

  /// The account.
  public let account: GuardAccountID
  /// The guard that has it.
  public let guardID: GuardID
  /// The guard's address at the time.
  public let url: ServiceURL
  /// The key slot for which it was made.
  public let keyID: KeyID
  /// Its kind.
  public let kind: Kind
  /// The time at which it was about to be created, in Unix seconds.
  public let createdAt: UInt64

  /// Describes an account.
  public init(
    account: GuardAccountID, guardID: GuardID, url: ServiceURL, keyID: KeyID, kind: Kind,
    createdAt: UInt64
  ) {
    self.account = account
    self.guardID = guardID
    self.url = url
    self.keyID = keyID
    self.kind = kind
    self.createdAt = createdAt
  }
}

/// A text of the log's topic `guards`: an owner key, and the accounts that it may end.
///
/// It is logged before the accounts are created, so that none is ever without its owner key.
public struct GuardAccounts: ~Copyable, Sendable {
  /// The topic.
  public static let topic = "guards"

  /// The seed of the owner key, Ed25519, 32 bytes.
  public let ownerKey: SecretBytes
  /// The accounts, 1 to 16.
  public let accounts: [GuardAccount]

  /// Takes an owner key and the accounts for which it was drawn.
  ///
  /// - Parameters:
  ///   - ownerKey: 32 random bytes.
  ///   - accounts: 1 to 16.
  /// - Throws: ``CSPPError/invalidField(_:)``.
  public init(
    ownerKey: consuming SecretBytes, accounts: [GuardAccount]
  ) throws(CSPPError) {
    guard ownerKey.count == Ed25519.seedSize else { throw .invalidField("owner_key") }
    guard (1...GuardThreshold.maximumGuards).contains(accounts.count) else {
      throw .invalidField("accounts")
    }
    self.ownerKey = ownerKey
    self.accounts = accounts
  }

  /// Parses a text.
  ///
  /// - Throws: ``CSPPError``.
  public init(parsing text: borrowing SecretBytes) throws(CSPPError) {
    self = try text.withBytes { (text) throws(CSPPError) in try GuardAccounts(text) }
  }

  private init(_ text: RawSpan) throws(CSPPError) {
    let object = try JSONObject(parsing: text, duplicates: .refused)
    let digits = try object.required("owner_key", in: text)
    var seed = SecretBytes(zeroed: 0)
    guard digits.kind == .string, Hex.decode(text.extracting(digits.range), into: &seed) else {
      throw .invalidField("owner_key")
    }
    var elements = try JSONElements(try object.required("accounts", in: text), field: "accounts")
    var accounts: [GuardAccount] = []
    while let element = try elements.next(in: text) {
      guard accounts.count < GuardThreshold.maximumGuards else { throw .invalidField("accounts") }
      accounts.append(
        try GuardAccount(JSONObject(element, in: text, duplicates: .refused), in: text))
    }
    try self.init(ownerKey: seed, accounts: accounts)
  }

  /// The text: JSON in UTF-8, in guarded memory.
  public borrowing func text() -> SecretBytes {
    var json = SecretWriter(capacity: 1024)
    json.raw("{\"owner_key\":\"")
    ownerKey.withBytes { json.hex($0) }
    json.raw("\",\"accounts\":[" + accounts.map(\.json).joined(separator: ",") + "]}")
    return json.finish()
  }
}

extension GuardAccount {
  fileprivate init(_ object: JSONObject, in text: RawSpan) throws(CSPPError) {
    let written = try object.required("url", in: text).text("url", in: text)
    guard let url = ServiceURL(written) else { throw .invalidField("url") }
    let name = try object.required("kind", in: text).text("kind", in: text)
    guard let kind = Kind(rawValue: name) else { throw .invalidField("kind") }
    self.init(
      account: try object.required("account", in: text).identifier("account", in: text),
      guardID: try object.required("guard_id", in: text).identifier("guard_id", in: text),
      url: url, keyID: try object.required("key_id", in: text).identifier("key_id", in: text),
      kind: kind,
      createdAt: try object.required("created_at", in: text).integer("created_at", in: text))
  }

  fileprivate var json: String {
    JSONText.object([
      ("account", JSONText.quoted(account.hex)), ("guard_id", JSONText.quoted(guardID.hex)),
      ("url", JSONText.quoted(url.text)), ("key_id", JSONText.quoted(keyID.hex)),
      ("kind", JSONText.quoted(kind.rawValue)),
      ("created_at", String(JSONText.time(createdAt))),
    ])
  }
}
