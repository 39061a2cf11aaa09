internal import CommandKit
internal import Glibc
internal import PRFDevice
internal import SecretMemory

/// A conversation with a pinentry program.
///
/// It uses the Assuan protocol over standard streams (libassuan's manual, "Server responses", and
/// pinentry's).
struct Pinentry: ~Copyable {
  private var helper: HelperProgram
  private let options: [String]
  /// The received bytes that were not processed yet; a line may be the PIN.
  private var buffer = SecretBytes(zeroed: 4096)
  private var filled = 0

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - program: the program.
  ///   - what: what is asked for, in messages.
  ///   - environment: says how to draw on the terminal.
  /// - Throws: `config` when it cannot be run.
  init(
    program: PINProgram, for what: String, _ environment: [String: String]
  ) throws(UserMessage) {
    options = Self.options(environment)
    // A little longer than it is told itself.
    helper = try HelperProgram(
      program.command, [], for: what, namedBy: program.namedBy, patience: PINAsker.patience + 5)
  }

  private mutating func greet() throws(UserMessage) {
    guard case .ok = try response() else { throw unusable("it does not greet") }
    for option in options {
      // Older programs do not know every option and need not.
      _ = try command("OPTION \(option)")
    }
  }

  /// Shows one dialog.
  ///
  /// - Returns: the typed text.
  /// - Throws: `denied` when the user cancels or does not answer, `config` when the program cannot
  ///   show the dialog, `interrupted`.
  mutating func ask(_ question: PINQuestion) throws(UserMessage) -> SecretBytes {
    try greet()
    _ = try command("SETTITLE keybackup")
    let description = question.subject + (question.note.map { "\n\($0)" } ?? "")
    _ = try command("SETDESC \(Self.escape(description))")
    _ = try command("SETPROMPT \(question.title):")
    _ = try command("SETTIMEOUT \(PINAsker.patience)")
    if let complaint = question.complaint {
      _ = try command("SETERROR \(Self.escape(complaint))")
    }
    var secret = SecretBytes(zeroed: PIN.maximumTypedBytes + 1)
    secret.resize(to: 0)
    helper.send("GETPIN")
    switch try response(into: &secret) {
    case .ok: return secret
    case .error(let code, let text):
      switch code & 0xFFFF {
      // GPG_ERR_TIMEOUT, _CANCELED, _NOT_CONFIRMED, _FULLY_CANCELED.
      case 62:
        throw UserMessage.notGiven(question.what, "in time")
      case 99, 114, 198:
        throw UserMessage.notGiven(question.what, "because the question was cancelled")
      default: throw unusable(text)
      }
    }
  }

  // MARK: Assuan

  private enum Response {
    case ok
    case error(code: UInt32, text: String)
  }

  private mutating func command(_ line: String) throws(UserMessage) -> Response {
    helper.send(line)
    return try response()
  }

  /// Reads an answer without data.
  private mutating func response() throws(UserMessage) -> Response {
    var nothing = SecretBytes(zeroed: PIN.maximumTypedBytes + 1)
    return try response(into: &nothing)
  }

  /// Reads lines until one ends the answer; decodes data lines into `data`, up to the length of a
  /// PIN.
  private mutating func response(into data: inout SecretBytes) throws(UserMessage) -> Response {
    while true {
      let length = try line()
      defer { drop(length + 1) }
      if starts(with: "D ", length) {
        decode(2..<length, into: &data)
      } else if length == 2 && starts(with: "OK", length) || starts(with: "OK ", length) {
        return .ok
      } else if starts(with: "ERR ", length) {
        let words = text(4..<length).split(separator: " ", maxSplits: 1)
        return .error(
          code: words.first.flatMap { UInt32($0) } ?? 0,
          text: words.count > 1 ? PrintableText.name(String(words[1])) : "unknown error")
      } else if starts(with: "INQUIRE ", length) {
        helper.send("CAN")
      }
      // Comments and status lines contain nothing that is needed.
    }
  }

  /// Receives until the buffer starts with a whole line; returns the line's length.
  private mutating func line() throws(UserMessage) -> Int {
    var searched = 0
    while true {
      while searched < filled {
        if byte(searched) == 10 { return searched }
        searched += 1
      }
      guard filled < buffer.count else { throw unusable("its line is too long") }
      guard case .bytes(let count) = try helper.receive(into: &buffer, from: filled) else {
        throw unusable("it ended unexpectedly")
      }
      filled += count
    }
  }

  /// Removes the first bytes of the buffer and wipes their memory.
  private mutating func drop(_ count: Int) {
    let rest = filled - count
    unsafe buffer.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      unsafe memmove(start, start + count, rest)
      unsafe memset(start + rest, 0, count)
    }
    filled = rest
  }

  private func byte(_ offset: Int) -> UInt8 {
    buffer.withBytes { unsafe $0.unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
  }

  private func starts(with prefix: String, _ length: Int) -> Bool {
    guard length >= prefix.utf8.count else { return false }
    for (offset, character) in prefix.utf8.enumerated() where byte(offset) != character {
      return false
    }
    return true
  }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: range.map { byte($0) }, as: UTF8.self)
  }

  /// Appends the bytes of a data line with `%XX` decoded.
  private func decode(_ range: Range<Int>, into data: inout SecretBytes) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      var value = byte(offset)
      offset += 1
      if value == UInt8(ascii: "%"), offset + 1 < range.upperBound,
        let high = Self.hexDigit(byte(offset)), let low = Self.hexDigit(byte(offset + 1))
      {
        value = high << 4 | low
        offset += 2
      }
      Self.append(value, to: &data)
    }
  }

  private static func append(_ value: UInt8, to data: inout SecretBytes) {
    // One byte more than a PIN may have is kept, to show that it is too long.
    let count = data.count
    guard count <= PIN.maximumTypedBytes else { return }
    data.resize(to: count + 1)
    data.withMutableBytes { $0.storeBytes(of: value, toByteOffset: count, as: UInt8.self) }
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  /// Encodes text as an Assuan argument.
  private static func escape(_ text: String) -> String {
    text.replacing("%", with: "%25").replacing("\n", with: "%0A").replacing("\r", with: "%0D")
  }

  /// The options that a program needs to draw on a terminal.
  private static func options(_ environment: [String: String]) -> [String] {
    func variable(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty || $0.contains("\n") ? nil : $0 }
    }
    var options = ["no-grab", "ttyname=/dev/tty"]
    if let type = variable("TERM") { options.append("ttytype=\(type)") }
    if let locale = variable("LC_ALL") ?? variable("LC_CTYPE") ?? variable("LANG") {
      options.append("lc-ctype=\(locale)")
    }
    return options
  }

  private func unusable(_ why: String) -> UserMessage {
    UserMessage(
      .config, "the pinentry program \(helper.name) cannot ask for the \(helper.what): \(why)",
      hint: "name another one with KEYBACKUP_PINENTRY, or use "
        + (helper.what == PINQuestion.pin
          ? "--pin-file or --pin-fd" : "--recovery-code-file or --recovery-code-fd"))
  }
}
