import SecretMemory
import Testing

@Suite struct TextFlawTests {
  @Test(arguments: [
    "", "1234", "a b", "caf\u{E9}", "cafe\u{301}", "\u{1F511}", "\u{2764}\u{FE0F}", "\u{A0}",
    // A family, a flag of tags, Persian: joiners and tags are parts of what is seen.
    "\u{1F468}\u{200D}\u{1F467}", "\u{1F3F4}\u{E0067}\u{E0062}\u{E007F}",
    "\u{645}\u{6CC}\u{200C}\u{62E}",
  ])
  func `Text that somebody types has no flaw`(_ text: String) {
    #expect(secret(Array(text.utf8)).textFlaw() == nil)
  }

  @Test(arguments: [
    "\t", "\u{0}", "\u{1A}", "\u{1B}[A", "\u{1B}[3~", "\u{16}", "\u{7F}", "\u{8}", "\r", "\n",
    "\u{1B}[200~12\u{1B}[201~", "\u{80}", "\u{9B}A", "\u{85}", "\u{2028}", "\u{2029}",
  ])
  func `A control character is one`(_ text: String) {
    for typed in [text, "12" + text, text + "34", "12" + text + "34"] {
      #expect(secret(Array(typed.utf8)).textFlaw() == .controlCharacter)
    }
  }

  @Test(arguments: [
    "\u{FEFF}", "\u{200B}", "\u{200E}", "\u{202E}", "\u{2060}", "\u{AD}", "\u{2066}",
  ])
  func `A character that shows nothing is one`(_ text: String) {
    for typed in [text, "12" + text, text + "34"] {
      #expect(secret(Array(typed.utf8)).textFlaw() == .invisibleCharacter)
    }
  }

  @Test(arguments: [
    "\u{200D}12", "12\u{200D}", "12\u{200C}", "\u{E0020}12", "\u{E007F}", "\u{200D}",
  ])
  func `A joiner that joins nothing shows nothing`(_ text: String) {
    #expect(secret(Array(text.utf8)).textFlaw() == .invisibleCharacter)
  }

  @Test(
    arguments: [
      [0x31, 0xFC], [0x31, 0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80],
      [0xFF, 0xFE, 0x31, 0x00], [0x9B],
    ] as [[UInt8]])
  func `Bytes that are not UTF-8 are one`(_ bytes: [UInt8]) {
    #expect(secret(bytes).textFlaw() == .notUTF8)
  }

  @Test(arguments: [
    "\u{A0}", "\u{2007}", "\u{202F}", "\u{3000}", "\u{3164}", "\u{115F}", "\u{34F}",
    // What follows an emoji or a flag follows no digit.
    "\u{FE0F}", "\u{E0061}", "\u{E0100}",
  ])
  func `A space that looks like another, or shows nothing, ends no PIN`(_ text: String) {
    func flaw(_ typed: String) -> TextFlaw? { secret(Array(typed.utf8)).pinFlaw() }
    #expect(flaw(text + "1234") != nil && flaw("1234" + text) != nil && flaw(text) != nil)
    #expect(flaw("12" + text + "34") == nil && flaw("12 34") == nil && flaw(" 1234 ") == nil)
    #expect(secret(Array(("12" + text).utf8)).textFlaw() == nil)
    for typed in ["\u{2764}\u{FE0F}", "\u{1F3F4}\u{E0067}\u{E0062}\u{E007F}", "", "cafe\u{301}"] {
      #expect(flaw(typed) == nil)
    }
  }

  @Test func `A Tab can be white space`() {
    #expect(secret(Array("one\ttwo".utf8)).textFlaw(allowsTabs: true) == nil)
    #expect(secret(Array("one\ttwo\u{1B}".utf8)).textFlaw(allowsTabs: true) == .controlCharacter)
  }
}
