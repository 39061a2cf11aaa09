import Foundation
import SecretMemory
import TestSupport
import Testing

@Suite("Hex and base64")
struct EncodingTests {
  @Test(arguments: 0..<200)
  func `Random bytes survive both spellings, which Foundation agrees with`(count: Int) {
    var generator = SeededGenerator(seed: UInt64(count))
    let original = generator.bytes(count)
    let hex = Hex.string(original)
    #expect(hex == original.map { String(format: "%02x", $0) }.joined())
    #expect(unsafe Hex.decode(Array(hex.utf8).span.bytes) == original)
    #expect(unsafe Hex.decode(Array(hex.uppercased().utf8).span.bytes, upperCase: true) == original)

    let standard = Base64.string(original, .standard)
    #expect(standard == Data(original).base64EncodedString())
    #expect(unsafe Base64.decode(Array(standard.utf8).span.bytes, .standard) == original)
    #expect(unsafe Base64.isValid(Array(standard.utf8).span.bytes, .standard))
    let url = Base64.string(original, .url)
    #expect(
      url
        == standard.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: ""))
    #expect(unsafe Base64.decode(Array(url.utf8).span.bytes, .url) == original)

    var guarded = SecretBytes(zeroed: 0)
    #expect(unsafe Hex.decode(Array(hex.utf8).span.bytes, into: &guarded))
    #expect(guarded.revealed == original)
    #expect(unsafe Base64.decode(Array(standard.utf8).span.bytes, .standard, into: &guarded))
    #expect(guarded.revealed == original)
  }

  @Test(arguments: 0..<50)
  func `In place: behind any number of bytes, and from between any`(count: Int) {
    var generator = SeededGenerator(seed: UInt64(count))
    let original = generator.bytes(count)
    for (alphabet, offset) in [(Base64.Alphabet.standard, 0), (.url, 0), (.standard, 7), (.url, 1)]
    {
      let text = Array(Base64.string(original, alphabet).utf8)
      var memory = secret(original)
      Base64.encode(inPlace: &memory, alphabet, at: offset)
      #expect(Array(memory.revealed.dropFirst(offset)) == text)

      memory = secret([UInt8](repeating: 0x22, count: offset) + text + [0x22, 0x7D])
      #expect(Base64.decode(inPlace: &memory, offset..<offset + text.count, alphabet))
      #expect(memory.revealed == original)
    }
  }

  @Test
  func `Every byte is a digit or is refused`() {
    for byte in UInt8.min...UInt8.max {
      let text = [UInt8(ascii: "0"), byte]
      let character = Character(Unicode.Scalar(byte))
      let isLower = character.isASCII && character.isHexDigit && !character.isUppercase
      #expect((unsafe Hex.decode(text.span.bytes) != nil) == isLower, "\(byte)")
      let isAny = character.isASCII && character.isHexDigit
      #expect((unsafe Hex.decode(text.span.bytes, upperCase: true) != nil) == isAny, "\(byte)")
      if isAny {
        #expect(
          unsafe Hex.decode(text.span.bytes, upperCase: true) == [UInt8(character.hexDigitValue!)])
      }
    }
    #expect(unsafe Hex.decode([UInt8(ascii: "0")].span.bytes) == nil)
  }

  @Test
  func `Every byte is a base64 character or is refused`() {
    let letters = Set(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    for byte in UInt8.min...UInt8.max {
      for place in 0..<4 {
        var text = Array("AAAA".utf8)
        text[place] = byte
        // One padding character at the end is well-formed.
        let padding = byte == UInt8(ascii: "=") && place == 3
        let valid = letters.contains(byte) || padding
        #expect((unsafe Base64.decode(text.span.bytes, .standard) != nil) == valid)
        #expect(unsafe Base64.isValid(text.span.bytes, .standard) == valid)
      }
    }
  }

  @Test(
    arguments: [
      "QQ", "QQ=", "QR==", "QUJ=", "QQ= =", "QQ==\n", " QQ==", "QQ==QQ==", "Q===", "====", "=QQQ",
      "QQ-_", "QUI", "QUJDRA",
    ])
  func `A second spelling is refused`(text: String) {
    #expect(unsafe Base64.decode(Array(text.utf8).span.bytes, .standard) == nil)
    #expect(unsafe !Base64.isValid(Array(text.utf8).span.bytes, .standard))
  }

  @Test(arguments: ["QR", "QUJ", "Q", "QQ==", "+/"])
  func `A second spelling is refused without padding too`(text: String) {
    #expect(unsafe Base64.decode(Array(text.utf8).span.bytes, .url) == nil)
    #expect(unsafe !Base64.isValid(Array(text.utf8).span.bytes, .url))
  }

  @Test
  func `A refused text leaves nothing in a buffer`() {
    var guarded = secret([1, 2, 3])
    #expect(unsafe !Hex.decode(Array("0g".utf8).span.bytes, into: &guarded))
    #expect(guarded.count == 0)
    guarded = secret([1, 2, 3])
    #expect(unsafe !Base64.decode(Array("QR==".utf8).span.bytes, .standard, into: &guarded))
    #expect(guarded.count == 0)
    for text in ["\"QR==\"", "\"QQ=\"", "\"QUI*QUJD\""] {
      guarded = secret(text: text)
      #expect(!Base64.decode(inPlace: &guarded, 1..<text.utf8.count - 1, .standard))
      #expect(guarded.count == 0)
    }
  }
}
