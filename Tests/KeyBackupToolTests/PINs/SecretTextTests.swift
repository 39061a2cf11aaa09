import SecretMemory
import Testing

@testable import CommandKit

/// Bytes in a secret that nobody meant to type, and the marks that editors put before a text.
@Suite struct SecretTextTests {
  /// Tab, Up, Delete, Ctrl-Z, Ctrl-V, Ctrl-Space, F1, a bracketed paste, and pasted characters.
  private static let keys = [
    "\t", "\u{1B}[A", "\u{1B}[3~", "\u{1A}", "\u{16}", "\u{0}", "\u{1B}OP", "\u{1B}[200~",
    "\u{9B}", "\u{FEFF}", "\u{200B}",
  ]

  @Test func `Keys that leave bytes in a hidden line cost no try`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let trace = try await box.traced {
      let outcome = try await box.keybackup(
        Sandbox.derive, pin: .none,
        terminal: Self.keys.flatMap { key -> [TerminalStep] in
          [.expect("(8 tries left): "), .type(Sandbox.pin + key + "\n"), .expect("not used")]
        } + [.expect("(8 tries left): "), .type(Sandbox.pin + "\n"), .expect("Touch")])
      #expect(outcome.stepsLeft.isEmpty && outcome.terminalIsSane, "\(outcome.screen)")
    }
    #expect(PINTests.tries(trace) == 1, "\(trace)")
  }

  @Test func `A no-break space at the edge of a PIN costs no try`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    try Files.write("\u{A0}\(Sandbox.pin)\n", to: box.root + "/copied", mode: 0o600)
    let trace = try await box.traced {
      let file = try await box.keybackup(
        Sandbox.derive + ["--pin-file", box.root + "/copied"], pin: .none, expecting: nil)
      expectFailure(file, 65, says: "no-break space", "no try was spent")
      let outcome = try await box.keybackup(
        Sandbox.derive, pin: .none,
        terminal: ["\u{A0}", "\u{3164}"].flatMap { mark -> [TerminalStep] in
          [
            .expect("(8 tries left): "), .type(Sandbox.pin + mark + "\n"),
            .expect("The PIN"),
          ]
        } + [.expect("(8 tries left): "), .type(Sandbox.pin + "\n"), .expect("Touch")])
      #expect(outcome.stepsLeft.isEmpty && outcome.terminalIsSane, "\(outcome.screen)")
    }
    #expect(PINTests.tries(trace) == 1, "\(trace)")
  }

  /// As in a file of settings: KEYBACKUP_PIN="1234".
  @Test(arguments: ["\"\(Sandbox.pin)\"", "'\(Sandbox.pin)'\r", "\u{201C}\(Sandbox.pin)\u{201D} "])
  func `A PIN in quotes in a file costs no try`(_ quoted: String) async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let file = box.root + "/quoted"
    try Files.write(quoted + "\n", to: file, mode: 0o600)
    let trace = try await box.traced {
      for (options, environment) in [
        (["--pin-file", file], [:]), ([], ["KEYBACKUP_PIN_FILE": file]),
      ] {
        let outcome = try await box.keybackup(
          Sandbox.derive + options, pin: .none, environment: environment, expecting: nil)
        expectFailure(outcome, 65, says: "in quotes", "at the prompt")
      }
      let set = try await box.keybackup(
        ["pin", "change", "--new-pin-file", file], pin: .descriptor(Sandbox.pin), expecting: nil)
      expectFailure(set, 65, says: "in quotes")
    }
    #expect(PINTests.tries(trace) <= 1, "\(trace)")
  }

  /// A code, a password of another program, a guard's PIN: each is read by the same lines.
  @Test func `No secret in quotes is read from a file, and a folder is none`() throws {
    let box = try Sandbox()
    let path = box.root + "/secret"
    for (text, isRefused) in [
      ("\"abc\"", true), ("'abc'\n", true), ("`abc`", true), ("\"\"", true), ("\"abc", false),
      ("abc'", false), ("\"abc'", false), ("'", false), ("a\"b\"c", false),
    ] {
      try Files.write(text, to: path, mode: 0o600)
      for isWhole in [false, true] {
        let line = try? SecretLine.read(file: path, what: "code", isWhole: isWhole, limit: 8).count
        #expect((line == nil) == isRefused, "\(text)")
      }
    }
    let read = #expect(throws: UserMessage.self) {
      _ = try SecretLine.read(file: box.root, what: "code", limit: 8)
    }
    let looked = #expect(throws: UserMessage.self) {
      try SecretLine.requireUsable(box.root, what: "code")
    }
    #expect(read?.code == .usage && looked?.code == .usage)
  }

  @Test func `No PIN with such bytes is set`() async throws {
    let box = try Sandbox()
    let set = try await box.keybackup(
      ["pin", "set"], key: ["no-pin"], pin: .none,
      terminal: [
        .expect("New PIN: "), .type("1234\t\n"), .expect("not used"), .expect("New PIN: "),
        .type("first-pin\n"), .expect("again: "), .type("first-\u{1B}[Dpin\n"),
        .expect("not used"), .expect("again: "), .type("first-pin\n"),
      ])
    #expect(set.stepsLeft.isEmpty, "\(set.screen)")
    try await box.keybackup(["credential", "create"], pin: .descriptor("first-pin"))
    try Files.write("12345\t6\n", to: box.root + "/new", mode: 0o600)
    let changed = try await box.keybackup(
      ["pin", "change", "--new-pin-file", box.root + "/new"], pin: .descriptor("first-pin"),
      expecting: nil)
    expectFailure(changed, 65, says: "control character")
  }

  @Test func `Nor is one sent from a file, a descriptor or a program`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let askpass = try box.program("askpass", "printf '\(Sandbox.pin)\\t\\n'")
    let pinentry = try box.program(
      "pinentry",
      """
      echo OK
      while read -r line; do
        case $line in GETPIN) printf 'D \(Sandbox.pin)%%1B\\nOK\\n' ;; *) echo OK ;; esac
      done
      """)
    try Files.write(Sandbox.pin + "\u{7F}\n", to: box.root + "/typed", mode: 0o600)
    let sources: [([String], [String: String], Sandbox.PINGiven)] = [
      (["--pin-file", box.root + "/typed"], [:], .none),
      ([], [:], .descriptor(Sandbox.pin + "\u{1B}[A")),
      ([], ["KEYBACKUP_ASKPASS": askpass], .none),
      ([], ["KEYBACKUP_PINENTRY": pinentry], .none),
    ]
    let trace = try await box.traced {
      for (options, environment, pin) in sources {
        let outcome = try await box.keybackup(
          Sandbox.derive + options, pin: pin, environment: environment, expecting: nil)
        expectFailure(outcome, 65, says: "control character", "no try was spent")
      }
    }
    #expect(PINTests.tries(trace) == 0, "\(trace)")
  }

  // MARK: Byte order marks

  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private static func utf16(_ text: String, bigEndian: Bool, marked: Bool) -> [UInt8] {
    ((marked ? [0xFEFF] : []) + Array(text.utf16)).flatMap { unit in
      bigEndian
        ? [UInt8(unit >> 8), UInt8(unit & 0xFF)] : [UInt8(unit & 0xFF), UInt8(unit >> 8)]
    }
  }

  @Test func `A PIN file of Notepad is read, and UTF-16 costs no try`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let file = box.root + "/notepad"
    try Files.write(Self.mark + Array("\(Sandbox.pin)\r\n".utf8), to: file, mode: 0o600)
    try await box.keybackup(Sandbox.derive + ["--pin-file", file], pin: .none)
    try await box.keybackup(Sandbox.derive, pin: .descriptor("\u{FEFF}" + Sandbox.pin))
    let trace = try await box.traced {
      for (bigEndian, marked) in [(false, true), (true, true), (false, false), (true, false)] {
        let text = Self.utf16(Sandbox.pin + "\r\n", bigEndian: bigEndian, marked: marked)
        try Files.write(text, to: file, mode: 0o600)
        let outcome = try await box.keybackup(
          Sandbox.derive + ["--pin-file", file], pin: .none, expecting: nil)
        expectFailure(outcome, 65, says: "UTF-16", "save it as UTF-8")
      }
      // As cmd's "echo PIN > FILE" leaves it. A front end's descriptor has what a person typed.
      for text in ["\(Sandbox.pin) \r\n", " \(Sandbox.pin)\n"] {
        try Files.write(text, to: file, mode: 0o600)
        let outcome = try await box.keybackup(
          Sandbox.derive + ["--pin-file", file], pin: .none, expecting: nil)
        expectFailure(outcome, 65, says: "begins or ends with a space", "no try was spent")
      }
    }
    #expect(PINTests.tries(trace) == 0, "\(trace)")
  }

  /// Recovery codes, passphrases, passwords, PINs of guards and keys in digits are read so.
  @Test func `Every secret on a line is read without a mark`() throws {
    let box = try Sandbox()
    func read(_ bytes: [UInt8], limit: Int = 8) throws -> String {
      try Files.write(bytes, to: box.root + "/secret", mode: 0o600)
      let line = try SecretLine.read(file: box.root + "/secret", what: "code", limit: limit)
      return unsafe line.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
    for (text, expected) in [
      ("abc", "abc"), ("abc\n", "abc"), ("abc\r\nmore", "abc"), ("", ""), ("\r\n", ""),
      // The longest one is still told from a longer one.
      ("1234567\n", "1234567"), ("12345678", "12345678"), ("123456789", "12345678"),
    ] {
      #expect(try read(Array(text.utf8)) == expected)
      #expect(try read(Self.mark + Array(text.utf8)) == expected)
    }
    // It is a mark only at the beginning.
    #expect(try read(Array("a\u{FEFF}b".utf8)) == "a\u{FEFF}b")
    for (bigEndian, marked) in [(false, true), (true, true), (false, false), (true, false)] {
      let text = Self.utf16("abc\r\n", bigEndian: bigEndian, marked: marked)
      let refusal = #expect(throws: UserMessage.self) { try read(text) }
      #expect(refusal?.code == .dataInvalid)
    }
  }

  /// Mnemonics and keys are read so.
  @Test func `Every text of a wallet is read without a mark`() throws {
    let box = try Sandbox()
    let world = try OwnWorld(box).world
    let prompter = Prompter(
      output: Output(json: false, quiet: true, world), noInput: true,
      events: Events(descriptor: nil, Run()), world)
    let path = box.root + "/words"
    func read(_ bytes: [UInt8]) throws -> String {
      try Files.write(bytes, to: path, mode: 0o600)
      let text = try InputFile.readText(path, limit: 100, asking: "mnemonic", prompter)
      return unsafe text.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
    #expect(try read(Array("one two\r\n".utf8)) == "one two\r\n")
    #expect(try read(Self.mark + Array("one two\r\n".utf8)) == "one two\r\n")
    let refusal = #expect(throws: UserMessage.self) {
      try read(Self.utf16("one two", bigEndian: false, marked: true))
    }
    #expect(refusal?.code == .dataInvalid && refusal?.hint?.contains("UTF-8") == true)
  }
}
