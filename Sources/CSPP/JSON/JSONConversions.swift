package import SecretMemory

extension JSONValue {
  /// Whether this string is `name`, whatever its escapes.
  public func equals(_ name: StaticString, in text: RawSpan) -> Bool {
    guard kind == .string else { return false }
    // Compares code units: `==` of strings treats a Kelvin sign as a K.
    if hasEscapes { return string(in: text).utf8.elementsEqual(name.description.utf8) }
    let count = name.utf8CodeUnitCount
    guard range.count == count else { return false }
    let start = range.lowerBound
    for index in 0..<count {
      guard unsafe text.byte(start + index) == name.utf8Start[index] else { return false }
    }
    return true
  }

  /// Whether both strings are equal, whatever their escapes.
  func isSameString(as other: JSONValue, in text: RawSpan) -> Bool {
    if hasEscapes || other.hasEscapes {
      return string(in: text).utf8.elementsEqual(other.string(in: text).utf8)
    }
    guard range.count == other.range.count else { return false }
    let distance = other.range.lowerBound - range.lowerBound
    return range.allSatisfy { text.byte($0) == text.byte($0 + distance) }
  }

  /// The text of this string, if it is no secret.
  ///
  /// - Precondition: the value is a string of this text.
  public func string(in text: RawSpan) -> String {
    if !hasEscapes {
      return unsafe text.extracting(range).withUnsafeBytes {
        unsafe String(decoding: $0, as: UTF8.self)
      }
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count)
    unescape(in: text) { bytes.append($0) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The UTF-8 bytes of this string, in guarded memory.
  ///
  /// - Precondition: the value is a string of this text.
  package func secret(in text: RawSpan) -> SecretBytes {
    if !hasEscapes { return SecretBytes(copying: text.extracting(range)) }
    var secret = SecretBytes(zeroed: range.count)
    let count = unsafe secret.withUnsafeMutableBytes { output in
      var count = 0
      unescape(in: text) {
        unsafe output[count] = $0
        count += 1
      }
      return count
    }
    secret.resize(to: count)
    return secret
  }

  /// Passes on the UTF-8 bytes of a string with its escapes resolved.
  ///
  /// They are never more than the bytes of the text.
  private func unescape(in text: RawSpan, _ body: (UInt8) -> Void) {
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = text.byte(index)
      guard byte == UInt8(ascii: "\\") else {
        body(byte)
        index += 1
        continue
      }
      let escape = text.byte(index + 1)
      index += 2
      switch escape {
      case UInt8(ascii: "b"): body(0x08)
      case UInt8(ascii: "f"): body(0x0C)
      case UInt8(ascii: "n"): body(0x0A)
      case UInt8(ascii: "r"): body(0x0D)
      case UInt8(ascii: "t"): body(0x09)
      case UInt8(ascii: "u"):
        var code = UInt32(hexDigits(at: index, in: text))
        index += 4
        if code & 0xFC00 == 0xD800 {
          code = 0x10000 + (code & 0x3FF) << 10 + UInt32(hexDigits(at: index + 2, in: text)) & 0x3FF
          index += 6
        }
        for unit in Unicode.Scalar(code).map({ Array(String($0).utf8) }) ?? [] { body(unit) }
      default: body(escape)
      }
    }
  }

  private func hexDigits(at index: Int, in text: RawSpan) -> UInt16 {
    (0..<4).reduce(0) { code, place in
      let byte = text.byte(index + place)
      return code << 4 | UInt16(byte < 0x40 ? byte & 15 : byte & 15 + 9)
    }
  }

  /// The text; throws when the value is not a string.
  public func text(_ field: StaticString, in text: RawSpan) throws(CSPPError) -> String {
    guard kind == .string else { throw .invalidField(field.description) }
    return string(in: text)
  }

  /// The value as a whole number from 0 to 2^63 - 1, without fraction or exponent.
  public func integer(_ field: StaticString, in text: RawSpan) throws(CSPPError) -> UInt64 {
    guard kind == .number else { throw .invalidField(field.description) }
    var number: UInt64 = 0
    for index in range {
      let digit = text.byte(index) &- 48
      guard digit < 10 else { throw .invalidField(field.description) }
      let (product, tooBig) = number.multipliedReportingOverflow(by: 10)
      guard !tooBig, product <= UInt64(Int64.max) - UInt64(digit) else {
        throw .invalidField(field.description)
      }
      number = product + UInt64(digit)
    }
    return number
  }

  /// The value as a boolean.
  public func bool(_ field: StaticString) throws(CSPPError) -> Bool {
    switch kind {
    case .boolTrue: return true
    case .boolFalse: return false
    default: throw .invalidField(field.description)
    }
  }

  /// The bytes that this string encodes in hexadecimal.
  ///
  /// - Parameters:
  ///   - field: the field's name, for the error.
  ///   - text: the text.
  ///   - count: the required number of bytes; nil for any number.
  ///   - upperCase: whether upper-case digits are allowed.
  /// - Returns: the bytes.
  /// - Throws: ``CSPPError/invalidField(_:)``.
  package func hex(
    _ field: StaticString, in text: RawSpan, count: Int? = nil, upperCase: Bool = false
  ) throws(CSPPError) -> [UInt8] {
    guard kind == .string, let bytes = Hex.decode(text.extracting(range), upperCase: upperCase),
      count == nil || bytes.count == count
    else { throw .invalidField(field.description) }
    return bytes
  }

  /// The bytes that this string encodes in base64.
  package func base64(
    _ field: StaticString, in text: RawSpan, _ alphabet: Base64.Alphabet
  ) throws(CSPPError) -> [UInt8] {
    guard kind == .string, let bytes = Base64.decode(text.extracting(range), alphabet) else {
      throw .invalidField(field.description)
    }
    return bytes
  }

  /// The record ID of the wallet ID in this string.
  func record(in text: RawSpan) -> RecordID {
    hasEscapes
      ? RecordID(walletID: string(in: text))
      : RecordID(words: Digest(of: text.extracting(range)).words)
  }

  /// The identifier that this string encodes.
  package func identifier<ID: HexIdentifier>(
    _ field: StaticString, in text: RawSpan
  ) throws(CSPPError) -> ID {
    guard let id = ID(bytes: try hex(field, in: text, count: ID.byteCount)) else {
      throw .invalidField(field.description)
    }
    return id
  }
}
