/// Everything that reading or writing the format can refuse.
///
/// Field names are the format's own; no case carries a value read from a file
/// or a plaintext.
public enum CSPPError: Error, Equatable, Sendable {
  // What the bytes are.

  /// No bytes, or nothing but zero bytes or white space: a file that its sync
  /// client has not filled yet.
  case empty
  /// The JSON text ends before it is complete.
  case truncated
  /// More bytes than this kind of file may have; the limit is in bytes.
  case tooLarge(limit: Int)
  /// Not JSON (RFC 8259): the place of the first wrong byte.
  case notJSON(offset: Int)
  /// Objects and arrays nested deeper than 64 levels.
  case tooDeep
  /// The text is JSON but no object.
  case notAnObject

  // What the fields are.

  /// A field appears twice.
  case duplicateField(String)
  /// A field that must be there is not.
  case missingField(String)
  /// A field has another type, or a value outside its range or encoding.
  case invalidField(String)
  /// A file of another format, by its `format` or `kind`.
  case otherFormat
  /// A version of the format that is not known here.
  case unsupportedVersion
  /// A plain field contradicts where the file lies or what it belongs to.
  case contradictsPlace(String)

  // What opening shows.

  /// The tag does not match: another key, or changed bytes.
  case authenticationFailed
  /// The master key inside belongs to another namespace.
  case otherNamespace
  /// The wallet ID inside does not hash to the record's ID.
  case otherRecord
  /// The wallet ID inside is not the one the envelope shows.
  case otherWalletID
  /// An envelope that says version 1 holds an extended private key, which needs
  /// version 2. (An envelope too old to state a version may hold one.)
  case privateKeyInVersion1
  /// The entry's secret is of a kind that is not known here.
  case unknownSecretKind
  /// The wallet's labels are larger than 10 MiB.
  case labelsTooLarge
}

extension CSPPError: CustomStringConvertible {
  /// What is wrong, for a person: a predicate such as "is empty", to be put
  /// after the name of what was read.
  public var description: String {
    switch self {
    case .empty: "is empty"
    case .truncated: "ends in the middle"
    case .tooLarge(let limit): "is larger than \(limit) bytes"
    case .notJSON(let offset): "is not JSON (byte \(offset + 1))"
    case .tooDeep: "nests too deep"
    case .notAnObject: "is no JSON object"
    case .duplicateField("(any)"): "has a field twice"
    case .duplicateField(let name): "has the field \(name) twice"
    case .missingField(let name): "lacks the field \(name)"
    case .invalidField(let name): "has an invalid field \(name)"
    case .otherFormat: "is of another format"
    case .unsupportedVersion: "is of a version that is not known here"
    case .contradictsPlace(let name): "lies in the wrong place: \(name) does not fit"
    case .authenticationFailed: "was changed or belongs to another key"
    case .otherNamespace: "belongs to another backup"
    case .otherRecord: "holds another wallet than its name says"
    case .otherWalletID: "holds another wallet than it says"
    case .privateKeyInVersion1: "holds an extended private key, which needs version 2"
    case .unknownSecretKind: "holds a secret of an unknown kind"
    case .labelsTooLarge: "holds labels of more than 10 MiB"
    }
  }
}
