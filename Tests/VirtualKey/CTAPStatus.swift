/// The status byte that begins every CTAP2 response (CTAP 2.1 section 8.2).
enum CTAPStatus: UInt8, Sendable {
  case success = 0x00
  case invalidCommand = 0x01
  case invalidParameter = 0x02
  case invalidLength = 0x03
  case timeout = 0x05
  case channelBusy = 0x06
  case cborUnexpectedType = 0x11
  case invalidCBOR = 0x12
  case missingParameter = 0x14
  case limitExceeded = 0x15
  case credentialExcluded = 0x19
  case unsupportedAlgorithm = 0x26
  case operationDenied = 0x27
  case keyStoreFull = 0x28
  case unsupportedOption = 0x2B
  case invalidOption = 0x2C
  case keepaliveCancel = 0x2D
  case noCredentials = 0x2E
  case userActionTimeout = 0x2F
  case notAllowed = 0x30
  case pinInvalid = 0x31
  case pinBlocked = 0x32
  case pinAuthInvalid = 0x33
  case pinAuthBlocked = 0x34
  case pinNotSet = 0x35
  case puatRequired = 0x36
  case pinPolicyViolation = 0x37
  case requestTooLarge = 0x39
  case uvBlocked = 0x3C
  case uvInvalid = 0x3F
  case unauthorizedPermission = 0x40
  case other = 0x7F
}

/// The reason why a command ends without a normal response.
enum CommandFailure: Error, Equatable {
  /// Answer with this status and no data.
  case status(CTAPStatus)
  /// The host started again on this channel, so no answer is owed.
  case aborted
  /// A fault: the key disconnects during the command.
  case unplugged
}

/// The CTAP2 commands that this key supports (CTAP 2.1 section 6).
enum CTAPCommand: UInt8, Sendable, CaseIterable {
  case makeCredential = 0x01
  case getAssertion = 0x02
  case getInfo = 0x04
  case clientPIN = 0x06
  case reset = 0x07
  case getNextAssertion = 0x08
  case credentialManagement = 0x0A
  case selection = 0x0B
  /// The number used before CTAP 2.1, which libfido2 still sends.
  case credentialManagementPreview = 0x41

  /// The command with the name of its case ("getAssertion") or with a number ("0x02", "2").
  init?(named name: some StringProtocol) {
    if let command = Self.allCases.first(where: { "\($0)" == name }) {
      self = command
    } else if let number = UInt8(number: name), let command = Self(rawValue: number) {
      self = command
    } else {
      return nil
    }
  }
}

extension UInt8 {
  /// Parses a number as people write it: "0x2E" or "46".
  init?(number text: some StringProtocol) {
    if text.hasPrefix("0x") {
      self.init(text.dropFirst(2), radix: 16)
    } else {
      self.init(text)
    }
  }

  /// The number in the form "0x2E".
  var hexadecimal: String {
    let digits = String(self, radix: 16, uppercase: true)
    return "0x" + (digits.count < 2 ? "0" : "") + digits
  }
}

extension [UInt8] {
  /// Lower-case hexadecimal digits, two per byte.
  public var hexadecimal: String {
    map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }

  /// Decodes hexadecimal digits; nil if the text contains anything else.
  package init?(hexadecimal text: some StringProtocol) {
    let digits = text.utf8.map { $0 }
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      let pair = String(decoding: digits[index...index + 1], as: UTF8.self)
      guard let byte = UInt8(pair, radix: 16), !pair.hasPrefix("+") else { return nil }
      bytes.append(byte)
    }
    self = bytes
  }

  /// Creates `count` bytes with the system's generator.
  static func random(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }
}
