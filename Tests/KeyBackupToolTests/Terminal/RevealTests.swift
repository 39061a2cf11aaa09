import SecretMemory
import Testing

@testable import CommandKit

/// A revealed entry, whose bytes may come from another program.
@Suite struct RevealTests {
  private static let name = "A\u{1B}[2J\u{9B}31m\u{202E}B\u{7F}\u{E0041}é🔑"

  @Test func `On a terminal it steers nothing and in a pipe it is exact`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    // JSON escapes the first of them in any case.
    let raw = Self.name.replacing("\u{1B}", with: "\\u001b")
    let entry = Samples.entry(id: "odd", name: raw)
    try await box.keybackup(["wallet", "import", "-"], input: Array(entry.utf8))
    for arguments in [["--reveal"], ["--reveal", "--json"], ["--out", "-", "--reveal"]] {
      let shown = try await box.keybackup(
        ["wallet", "show", "odd"] + arguments, terminal: [], standardOutput: .terminal,
        secrets: true)
      #expect(shown.screen.contains(#"A\u001b[2J\u009b31m\u202eB\u007f\udb40\udc41é🔑"#), "\(shown)")
      for scalar in "\u{9B}\u{202E}\u{7F}\u{E0041}".unicodeScalars {
        #expect(!shown.screen.unicodeScalars.contains(scalar))
      }
    }
    let piped = try await box.keybackup(
      ["wallet", "show", "odd", "--out", "-"], secrets: true)
    #expect(piped.out.contains(raw))
  }

  @Test func `Revealed JSON is one line, however narrow`() async throws {
    let backup = try await PreparedBackup()
    let name = "a name that says to run: keybackup status, in many words"
    try await backup.box.keybackup(
      ["wallet", "import", "-"], input: Array(Samples.entry(id: "long", name: name).utf8))
    let shown = try await backup.box.keybackup(
      ["wallet", "show", "long", "--reveal", "--json"], environment: ["COLUMNS": "40"],
      secrets: true)
    #expect(try shown.json()["wallet"]["name"].text == name, "\(shown.out)")
    #expect(shown.out.filter { $0 == "\n" }.count == 1, "\(shown.out)")
  }

  @Test(arguments: [
    ("{\"a\":\r\n\t1}", "{\"a\": \n 1}"), ("\u{0}\u{1F}", #"\u0000\u001f"#), ("", ""),
    ("\u{2028}\u{E000}\u{AD}", #"\u2028\ue000\u00ad"#), ("zoo é 🔑", "zoo é 🔑"),
  ])
  func `Control characters are shown escaped`(_ text: String, _ expected: String) {
    #expect(escaped(Array(text.utf8)) == Array(expected.utf8))
  }

  @Test func `What is no UTF 8 is replaced`() {
    for bytes in [[0x9B], [0xC0, 0x80], [0xE2, 0x80], [0xED, 0xA0, 0x80], [0xF8], [0xFF]]
      as [[UInt8]]
    {
      let shown = String(decoding: escaped(bytes), as: UTF8.self)
      #expect(!shown.isEmpty && shown.replacing(#"\ufffd"#, with: "").isEmpty, "\(bytes)")
    }
    // Many of them: the text grows.
    #expect(escaped([UInt8](repeating: 0x7F, count: 5000)).count == 30_000)
  }

  private func escaped(_ bytes: [UInt8]) -> [UInt8] {
    let secret = unsafe SecretBytes(copying: bytes.span.bytes)
    let escaped = PrintableSecret.escaped(secret)
    return unsafe escaped.withUnsafeBytes { unsafe Array($0) }
  }
}
