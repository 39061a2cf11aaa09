import Foundation
import SecretMemory
import TestSupport
import Testing

@testable import CSPP

@Suite("Strict JSON")
struct JSONTests {
  private func parse(_ bytes: [UInt8]) -> Result<JSONValue, CSPPError> {
    do throws(CSPPError) {
      return .success(try unsafe JSON.parse(bytes.span.bytes))
    } catch {
      return .failure(error)
    }
  }

  @Test(
    arguments: [
      "{}", "[]", "null", " true ", "false", "0", "-0", "-1.5e+10", "1E5",
      "123456789012345678901234567890",
      #""""#, #""\u00e9\uD83D\ude00\"\\\/\b\f\n\r\t""#, "[1,[2,{\"a\":[]}],\"x\"]",
      "{\"a\":{},\"b\":[{}]}", "\"é😀\u{7F}\"", "\t[ 1 ,\n2 ]\r", "{\"\":1}",
      "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\\naaaaaaaaaaaaaé\"",
    ])
  func `Valid texts`(text: String) throws {
    let bytes = Array(text.utf8)
    let value = try parse(bytes).get()
    let expected = try JSONSerialization.jsonObject(
      with: Data(bytes), options: .fragmentsAllowed)
    if let expected = expected as? String {
      #expect(unsafe value.string(in: bytes.span.bytes) == expected)
      #expect(unsafe value.secret(in: bytes.span.bytes).text == expected)
    }
  }

  @Test(
    arguments: [
      "{\"a\":1,}", "[1,]", "[,1]", "{,}", "{\"a\"}", "{\"a\":}", "{a:1}", "{'a':1}", "[1 2]",
      "{\"a\":1 \"b\":2}", "01", "-", "+1", "1.x", ".5", "1ex", "0x10", "NaN", "Infinity", "nul!",
      "\"\\x\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"a\nb\"",
      "\"\u{1}\"", "[1]]", "{}{}", "[1}", "{\"a\":1]", "tru3", "// x\n1", "[1] x", "{\"a\" 1}", "}",
      "]",
      "\u{FEFF}{}",
    ])
  func `Invalid texts are refused, not repaired`(text: String) {
    guard case .failure(let error) = parse(Array(text.utf8)) else {
      Issue.record("accepted")
      return
    }
    // A lone sign or surrogate at the end may also look truncated.
    switch error {
    case .notJSON, .truncated: break
    default: Issue.record("\(error)")
    }
  }

  @Test(
    arguments: [
      [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
      [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
      [0xE2, 0x82, 0x22],
    ] as [[UInt8]])
  func `Ill-formed UTF-8 is refused`(bytes: [UInt8]) {
    let text = [0x22] + bytes + [0x22]
    #expect(String(validating: text, as: UTF8.self) == nil)
    guard case .failure(.notJSON) = parse(text) else {
      Issue.record("\(parse(text))")
      return
    }
  }

  @Test
  func `Every part of a text that is cut off is truncated`() throws {
    let text = Array(#"{"a":[1,-2.5e3,"xé\u00e9\n",{"b":null}],"c":true,"d":{"e":[[]]}}"#.utf8)
    _ = try parse(text).get()
    for count in 1..<text.count {
      #expect(parse(Array(text.prefix(count))) == .failure(.truncated), "\(count)")
    }
  }

  @Test(arguments: [[], [0, 0, 0], [0x20, 0x0A], [0, 0x20]])
  func `No content is empty, whatever fills it`(bytes: [UInt8]) {
    #expect(parse(bytes) == .failure(.empty))
  }

  @Test
  func `64 levels are read, 65 refused; a million do no harm`() throws {
    func nested(_ depth: Int) -> [UInt8] {
      Array(String(repeating: "[", count: depth).utf8)
        + Array(String(repeating: "]", count: depth).utf8)
    }
    _ = try parse(nested(64)).get()
    #expect(parse(nested(65)) == .failure(.tooDeep))
    #expect(parse([UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)) == .failure(.tooDeep))
    let objects = String(repeating: "{\"a\":", count: 64) + "1" + String(repeating: "}", count: 64)
    _ = try parse(Array(objects.utf8)).get()
  }

  @Test(arguments: 0..<300)
  func `Random values read as Foundation reads them`(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let original = randomValue(depth: 0, &generator)
    let data = try JSONSerialization.data(
      withJSONObject: ["v": original], options: seed % 2 == 0 ? [] : [.prettyPrinted])
    let bytes = [UInt8](data)
    let object = try unsafe JSONObject(parsing: bytes.span.bytes, duplicates: .refused)
    let value = try unsafe object.required("v", in: bytes.span.bytes)
    let slice = Data(bytes[value.fullRange])
    let back = try JSONSerialization.jsonObject(with: slice, options: .fragmentsAllowed)
    #expect(NSArray(object: back) == NSArray(object: original))
  }

  private func randomValue(depth: Int, _ generator: inout SeededGenerator) -> Any {
    switch Int.random(in: 0..<(depth > 4 ? 4 : 6), using: &generator) {
    case 0: return NSNull()
    case 1: return Bool.random(using: &generator)
    case 2: return Int.random(in: -1_000_000...1_000_000, using: &generator)
    case 3:
      let alphabet: [Character] = ["a", "\"", "\\", "\u{1}", "é", "😀", "/", "\n", "z"]
      return String((0..<20).map { _ in alphabet.randomElement(using: &generator) ?? "a" })
    case 4:
      return (0..<Int.random(in: 0..<4, using: &generator)).map { _ in
        randomValue(depth: depth + 1, &generator)
      }
    default:
      return Dictionary(
        uniqueKeysWithValues: (0..<Int.random(in: 0..<4, using: &generator)).map {
          ("k\($0)", randomValue(depth: depth + 1, &generator))
        })
    }
  }

  @Test
  func `A name written with escapes is the same name`() throws {
    let bytes = Array(#"{"a\u0062c":1,"x":2}"#.utf8)
    let object = try unsafe JSONObject(parsing: bytes.span.bytes, duplicates: .refused)
    #expect(try unsafe object.value("abc", in: bytes.span.bytes)?.kind == .number)
    let kelvin = Array(#"{"\u212A":1,"\u004B":2,"e\u0301":3,"\u00e9":4}"#.utf8)
    let distinct = try unsafe JSONObject(parsing: kelvin.span.bytes, duplicates: .refused)
    #expect(try unsafe distinct.value("K", in: kelvin.span.bytes)?.range == 21..<22)
    let twice = Array(#"{"a\u0062c":1,"abc":2}"#.utf8)
    #expect(
      refusal { () throws(CSPPError) in
        _ = try unsafe JSONObject(parsing: twice.span.bytes, duplicates: .refused)
      } == .duplicateField("(any)"))
    let lookup = try unsafe JSONObject(parsing: twice.span.bytes, duplicates: .refusedOnLookup)
    #expect(
      refusal { () throws(CSPPError) in
        _ = try unsafe lookup.value("abc", in: twice.span.bytes)
      } == .duplicateField("abc"))
  }

  @Test(
    arguments: [
      ("0", 0), ("9223372036854775807", UInt64(Int64.max)), ("9223372036854775808", nil),
      ("99999999999999999999999", nil), ("-1", nil), ("1.0", nil), ("1e3", nil),
    ] as [(String, UInt64?)])
  func `Whole numbers up to 2^63 - 1`(text: String, expected: UInt64?) throws {
    let bytes = Array(text.utf8)
    let value = try parse(bytes).get()
    #expect((try? unsafe value.integer("f", in: bytes.span.bytes)) == expected)
  }

  @Test(arguments: ["", "plain", "\"\\\u{0}\u{1F}\n\r\t\u{8}\u{C}é😀/\u{7F}"])
  func `Written strings read back`(text: String) throws {
    let quoted = JSONText.quoted(text)
    let back = try JSONSerialization.jsonObject(
      with: Data(quoted.utf8), options: .fragmentsAllowed)
    #expect(back as? String == text)
    var writer = SecretWriter(capacity: 1)
    writer.string(text)
    #expect(writer.finish().text == quoted)
  }
}
