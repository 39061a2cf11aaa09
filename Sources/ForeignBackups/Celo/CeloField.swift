internal import CSPP
internal import SecretMemory

/// One field of the file, with its name for errors.
struct CeloField {
  /// The value.
  let value: JSONValue
  /// The field as a part for errors: "the field odisDomain.stages".
  let part: String

  /// The text.
  func text(in text: RawSpan) throws(ForeignBackupError) -> String {
    guard value.kind == .string else { throw .damaged(part: part) }
    return value.string(in: text)
  }

  /// A number that JavaScript has exactly: 0 to 2^53 - 1.
  func number(in text: RawSpan) throws(ForeignBackupError) -> UInt64 {
    guard let number = try? value.integer("number", in: text), number < 1 << 53 else {
      throw .damaged(part: part)
    }
    return number
  }

  /// The truth value.
  func bool() throws(ForeignBackupError) -> Bool {
    guard let bool = try? value.bool("bool") else { throw .damaged(part: part) }
    return bool
  }

  /// The bytes that base64 with padding encodes.
  ///
  /// Some programs write each of its slashes as an escape.
  func base64(in text: RawSpan) throws(ForeignBackupError) -> [UInt8] {
    let characters = Array(try self.text(in: text).utf8)
    guard let bytes = unsafe Base64.decode(characters.span.bytes, .standard) else {
      throw .damaged(part: part)
    }
    return bytes
  }

  /// The value's own fields.
  func fields(in text: RawSpan) throws(ForeignBackupError) -> CeloFields {
    guard let object = try? JSONObject(value, in: text, duplicates: .refusedOnLookup) else {
      throw .damaged(part: part)
    }
    return CeloFields(object: object, prefix: part + ".")
  }

  /// A value that may be undefined, as EIP-712 has it.
  func optional<Value: Equatable & Sendable>(
    in text: RawSpan, _ read: (CeloField) throws(ForeignBackupError) -> Value
  ) throws(ForeignBackupError) -> EIP712Optional<Value> {
    let fields = try fields(in: text)
    return EIP712Optional(
      isDefined: try fields.required("defined", in: text).bool(),
      value: try read(fields.required("value", in: text)))
  }
}

/// The fields of one object of the file.
///
/// Others than those asked for do no harm.
struct CeloFields {
  let object: JSONObject
  /// The words before a field's name in errors.
  let prefix: String

  /// The fields of a whole file.
  ///
  /// - Throws: `damaged`; the part says where.
  init(file text: RawSpan) throws(ForeignBackupError) {
    do throws(CSPPError) {
      object = try JSONObject(parsing: text, duplicates: .refusedOnLookup)
    } catch {
      throw .damaged(part: Self.part(error))
    }
    prefix = "the field "
  }

  init(object: JSONObject, prefix: String) {
    self.object = object
    self.prefix = prefix
  }

  /// A field; nil when it is absent.
  func field(_ name: StaticString, in text: RawSpan) throws(ForeignBackupError) -> CeloField? {
    do throws(CSPPError) {
      return try object.value(name, in: text).map {
        CeloField(value: $0, part: prefix + name.description)
      }
    } catch {
      throw .damaged(part: "\(prefix)\(name) (it is there twice)")
    }
  }

  /// A field that must be there.
  func required(_ name: StaticString, in text: RawSpan) throws(ForeignBackupError) -> CeloField {
    guard let field = try field(name, in: text) else { throw .missing(part: "\(prefix)\(name)") }
    return field
  }

  /// The part of a file that makes it no JSON object.
  private static func part(_ error: CSPPError) -> String {
    switch error {
    case .empty: "the file (it is empty)"
    case .truncated: "the end of the file (it is cut off)"
    case .notJSON(let offset): "the file's JSON at byte \(offset + 1)"
    case .tooDeep: "the file's JSON (it is nested too deep)"
    default: "the file (it is no JSON object)"
    }
  }
}
