internal import CSPP
internal import SecretMemory

// This folder is for the lines of the protocol: reading, writing, splitting. It opens no
// connection.

/// The fields of one JSON object, read strictly: none unknown, none twice, each within its bounds.
struct LineFields {
  private let text: [UInt8]
  private let object: JSONObject

  /// Parses a line.
  ///
  /// - Throws: ``AskFailure/Reason/protocol``.
  init(_ line: [UInt8]) throws(AskFailure) {
    text = line
    do throws(CSPPError) {
      object = try unsafe JSONObject(parsing: line.span.bytes, duplicates: .refused)
    } catch {
      throw AskFailure(.protocol, "a line must be one JSON object")
    }
  }

  private init(_ value: JSONValue, of text: [UInt8]) throws(AskFailure) {
    self.text = text
    do throws(CSPPError) {
      object = try unsafe JSONObject(value, in: text.span.bytes, duplicates: .refused)
    } catch {
      throw AskFailure(.protocol, "a request or login must be an object")
    }
  }

  /// Refuses fields with other names.
  func refuseOthers(than known: [StaticString]) throws(AskFailure) {
    for member in object.members
    where !known.contains(where: { unsafe member.name.equals($0, in: text.span.bytes) }) {
      throw AskFailure(.protocol, "a field is unknown")
    }
  }

  private func value(_ name: StaticString) throws(AskFailure) -> JSONValue? {
    do throws(CSPPError) {
      return try unsafe object.value(name, in: text.span.bytes)
    } catch {
      throw Self.invalid(name)
    }
  }

  /// A nested object; nil where it is absent.
  func object(_ name: StaticString) throws(AskFailure) -> LineFields? {
    guard let value = try value(name) else { return nil }
    return try LineFields(value, of: text)
  }

  /// A text of at most `limit` bytes; nil where it is absent.
  func text(_ name: StaticString, upTo limit: Int) throws(AskFailure) -> String? {
    guard let value = try value(name) else { return nil }
    guard value.kind == .string else { throw Self.invalid(name) }
    let string = unsafe value.string(in: text.span.bytes)
    guard string.utf8.count <= limit else { throw Self.invalid(name) }
    return string
  }

  /// A whole number in a range; nil where it is absent.
  func number(_ name: StaticString, in range: ClosedRange<UInt64>) throws(AskFailure) -> UInt64? {
    guard let value = try value(name) else { return nil }
    do throws(CSPPError) {
      let number = try unsafe value.integer(name, in: text.span.bytes)
      if range.contains(number) { return number }
    } catch {}
    throw Self.invalid(name)
  }

  /// True or false; nil where it is absent.
  func bool(_ name: StaticString) throws(AskFailure) -> Bool? {
    guard let value = try value(name) else { return nil }
    do throws(CSPPError) { return try value.bool(name) } catch { throw Self.invalid(name) }
  }

  /// `count` bytes as lower-case digits, still as text; nil where it is absent.
  func digits(_ name: StaticString, count: Int) throws(AskFailure) -> String? {
    guard let digits = try text(name, upTo: 2 * count) else { return nil }
    guard digits.utf8.count == 2 * count, LowerCaseDigits.areIn(digits) else {
      throw Self.invalid(name)
    }
    return digits
  }

  /// The failure for a field.
  static func invalid(_ name: StaticString) -> AskFailure {
    AskFailure(.protocol, "the field \(name) is missing or not valid")
  }
}

/// Lower-case hexadecimal digits.
enum LowerCaseDigits {
  /// Whether a text consists of nothing else.
  static func areIn(_ text: String) -> Bool {
    text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }
}
