import CSPP
import SecretMemory

enum JSONTarget {
  static func run(_ bytes: [UInt8]) -> Bool {
    let text = unsafe bytes.span.bytes
    let lenient = try? JSONObject(parsing: text, duplicates: .refusedOnLookup)
    let strict = try? JSONObject(parsing: text, duplicates: .refused)
    must(strict == nil || lenient != nil, "refusing duplicates accepts more")
    do throws(CSPPError) {
      let value = try JSON.parse(text)
      must((lenient != nil) == (value.kind == .object), "two readers disagree")
      look(at: value, in: text, depth: 0)
      return true
    } catch {
      must(lenient == nil, "an object that is no JSON")
      if bytes.allSatisfy({ [0, 9, 10, 13, 32].contains($0) }) { must(error == .empty, "blank") }
      return false
    }
  }

  private static func look(at value: JSONValue, in text: RawSpan, depth: Int) {
    must(depth <= JSON.depthLimit, "too deep")
    switch value.kind {
    case .object:
      guard let object = try? JSONObject(value, in: text, duplicates: .refusedOnLookup) else {
        return must(false, "a value that was checked does not parse")
      }
      for member in object.members {
        check(member.name, in: text)
        look(at: member.value, in: text, depth: depth + 1)
      }
    case .array:
      do throws(CSPPError) {
        var elements = try JSONElements(value, field: "x")
        while let element = try elements.next(in: text) {
          look(at: element, in: text, depth: depth + 1)
        }
      } catch {
        must(false, "an array that was checked does not parse")
      }
    case .string: check(value, in: text)
    default: _ = try? value.integer("x", in: text)
    }
  }

  /// Checks that a string, written and read again, is the same.
  private static func check(_ value: JSONValue, in text: RawSpan) {
    let string = value.string(in: text)
    must(value.secret(in: text).copied == Array(string.utf8), "two ways to read a string")
    let quoted = Array(JSONText.quoted(string).utf8)
    let again = unsafe quoted.span.bytes
    guard let parsed = try? JSON.parse(again) else { return must(false, "a string of ours") }
    must(parsed.string(in: again) == string, "a string changes when it is written")
    _ = try? value.hex("x", in: text)
    _ = try? value.base64("x", in: text, .standard)
  }
}

enum TextTarget {
  static func run(_ bytes: [UInt8]) -> Bool {
    let text = unsafe bytes.span.bytes
    var accepted = false
    for alphabet in [Base64.Alphabet.standard, .url] {
      let decoded = Base64.decode(text, alphabet)
      must(Base64.isValid(text, alphabet) == (decoded != nil), "valid or not")
      if let decoded {
        accepted = true
        must(unsafe Base64.encode(decoded.span.bytes, alphabet) == bytes, "two spellings")
      }
      let encoded = Base64.encode(text, alphabet)
      must(encoded.count == Base64.encodedSize(bytes.count, alphabet), "size")
      must(unsafe Base64.decode(encoded.span.bytes, alphabet) == bytes, "base64")
      var inPlace = secret(bytes)
      Base64.encode(inPlace: &inPlace, alphabet, at: 3)
      must(Array(inPlace.copied.dropFirst(3)) == encoded, "in place")
      must(Base64.decode(inPlace: &inPlace, 3..<inPlace.count, alphabet), "in place, back")
      must(inPlace.copied == bytes, "in place, the same")
    }
    if let decoded = Hex.decode(text) {
      accepted = true
      must(Array(Hex.string(decoded).utf8) == bytes, "two spellings")
    }
    let digits = Hex.encode(text)
    must(unsafe Hex.decode(digits.span.bytes) == bytes, "hexadecimal")
    return accepted
  }
}
