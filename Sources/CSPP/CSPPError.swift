/// The errors of reading or writing the format.
///
/// Field names are those of the format. No case carries a value from a file or a plaintext.
public enum CSPPError: Error, Equatable, Sendable {
  // The bytes.

  /// There are no bytes, or only zero bytes or white space: a file that its sync client has not
  /// filled yet.
  case empty
  /// The JSON text ends before it is complete.
  case truncated
  /// The file has more bytes than its kind may have; the limit is in bytes.
  case tooLarge(limit: Int)
  /// The text is not JSON (RFC 8259); the offset is that of the first wrong byte.
  case notJSON(offset: Int)
  /// Objects and arrays are nested deeper than 64 levels.
  case tooDeep
  /// The text is JSON but not an object.
  case notAnObject

  // The fields.

  /// A field appears twice.
  case duplicateField(String)
  /// A required field is missing.
  case missingField(String)
  /// A field has another type, or a value outside its range or encoding.
  case invalidField(String)
  /// The file has another format, according to its `format` or `kind`.
  case otherFormat
  /// The file has a version of the format that this program does not know.
  case unsupportedVersion
  /// A plain field contradicts the file's location or the object it belongs to.
  case contradictsPlace(String)
  /// The fields are right, but the bytes are not those that a writer of this format gives them.
  case otherSpelling
  /// The signature is not the expected key's, or that key is one that no signer can have.
  case invalidSignature

  // The decrypted contents.

  /// The tag does not match: the key is wrong or bytes were changed.
  case authenticationFailed
  /// The master key inside belongs to another namespace.
  case otherNamespace
  /// The wallet ID inside does not hash to the record's ID.
  case otherRecord
  /// The wallet ID inside differs from the one in the envelope.
  case otherWalletID
  /// An envelope of version 1 holds an extended private key, which needs version 2.
  ///
  /// An envelope too old to state a version may hold one.
  case privateKeyInVersion1
  /// The entry's secret is of a kind that this program does not know.
  case unknownSecretKind
  /// The wallet's labels are larger than 10 MiB.
  case labelsTooLarge
}

extension CSPPError: CustomStringConvertible {
  /// The problem in words, as a predicate such as "is empty" that follows the name of the input.
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
    case .otherSpelling: "is not spelled as its format requires"
    case .invalidSignature: "is not signed by the expected key"
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
