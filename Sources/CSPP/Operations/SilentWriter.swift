/// A computer that writes without the backup being opened, as its `writer-add` describes it.
public struct SilentWriter: Equatable, Sendable {
  /// The kinds of change that may count in its sealed operations.
  public struct Permissions: OptionSet, Sendable {
    /// One bit for each kind.
    public let rawValue: UInt8
    /// Creates a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// New versions of files: `file-put`.
    public static let filePut = Permissions(rawValue: 1)
    /// Removals of its own files: `file-remove`.
    public static let fileRemove = Permissions(rawValue: 2)
    /// New wallets: `put`.
    public static let put = Permissions(rawValue: 4)
  }

  /// The ID and key of an authorised writer, with which a sealed operation is compared.
  public struct Identity: Hashable, Sendable {
    /// The ID of its chain.
    public let writerID: WriterID
    /// The key with which it signs.
    public let signingKey: SigningKey

    /// Creates an identity from what a `writer-add` names.
    public init(writerID: WriterID, signingKey: SigningKey) {
      self.writerID = writerID
      self.signingKey = signingKey
    }
  }

  /// The writer's ID and key.
  public var identity: Identity { Identity(writerID: writerID, signingKey: signingKey) }

  /// The ID of its chain, which nobody used before.
  public let writerID: WriterID
  /// The key with which it signs.
  public let signingKey: SigningKey
  /// Its name for people, and the name of the folder of its restored files.
  public let label: PathComponent
  /// The kinds of change that may count.
  public let may: Permissions

  /// Creates a description of a silent writer.
  public init(
    writerID: WriterID, signingKey: SigningKey, label: PathComponent, may: Permissions
  ) {
    self.writerID = writerID
    self.signingKey = signingKey
    self.label = label
    self.may = may
  }
}

extension SilentWriter.Permissions {
  /// The names in `may`, in the order of a writer.
  private static let names: [(StaticString, Self)] = [
    ("file-put", .filePut), ("file-remove", .fileRemove), ("put", .put),
  ]

  /// Parses a list of names; unknown ones permit nothing to this program.
  init(_ value: JSONValue, in text: RawSpan) throws(CSPPError) {
    self = []
    var elements = try JSONElements(value, field: "may")
    while let element = try elements.next(in: text) {
      guard element.kind == .string else { throw .invalidField("may") }
      for (name, permission) in Self.names where element.equals(name, in: text) {
        insert(permission)
      }
    }
  }

  var json: String {
    let names = Self.names.filter { contains($0.1) }.map { "\"\($0.0)\"" }
    return "[\(names.joined(separator: ","))]"
  }
}

extension SilentWriter {
  init(_ object: JSONObject, in text: RawSpan) throws(CSPPError) {
    writerID = try object.required("writer_id", in: text).identifier("writer_id", in: text)
    signingKey = try object.required("signing_key", in: text).identifier("signing_key", in: text)
    label = try object.required("label", in: text).component("label", in: text)
    may = try Permissions(object.required("may", in: text), in: text)
  }

  /// The change's fields.
  var members: String {
    "\"writer_id\":\"\(writerID)\",\"signing_key\":\"\(signingKey)\","
      + "\"label\":\(JSONText.quoted(label.text)),\"may\":\(may.json)"
  }
}
