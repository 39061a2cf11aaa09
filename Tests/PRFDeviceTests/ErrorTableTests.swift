import Foundation
import Testing

@testable import PRFDevice

/// The error for every FIDO_ERR_*, by name, as fido/err.h lists them.
@Suite struct ErrorTableTests {
  static let expected: [String: PRFDeviceError?] = [
    "FIDO_ERR_SUCCESS": nil,
    "FIDO_ERR_INVALID_COMMAND": .authenticator(code: 0x01),
    "FIDO_ERR_INVALID_PARAMETER": .authenticator(code: 0x02),
    "FIDO_ERR_INVALID_LENGTH": .authenticator(code: 0x03),
    "FIDO_ERR_INVALID_SEQ": .authenticator(code: 0x04),
    "FIDO_ERR_TIMEOUT": .noAnswer,
    "FIDO_ERR_CHANNEL_BUSY": .busy,
    "FIDO_ERR_LOCK_REQUIRED": .busy,
    "FIDO_ERR_INVALID_CHANNEL": .authenticator(code: 0x0B),
    "FIDO_ERR_CBOR_UNEXPECTED_TYPE": .authenticator(code: 0x11),
    "FIDO_ERR_INVALID_CBOR": .authenticator(code: 0x12),
    "FIDO_ERR_MISSING_PARAMETER": .authenticator(code: 0x14),
    "FIDO_ERR_LIMIT_EXCEEDED": .requestTooLarge,
    "FIDO_ERR_UNSUPPORTED_EXTENSION": .prfUnsupported,
    "FIDO_ERR_FP_DATABASE_FULL": .authenticator(code: 0x17),
    "FIDO_ERR_LARGEBLOB_STORAGE_FULL": .authenticator(code: 0x18),
    "FIDO_ERR_CREDENTIAL_EXCLUDED": .credentialExcluded,
    "FIDO_ERR_PROCESSING": .authenticator(code: 0x21),
    "FIDO_ERR_INVALID_CREDENTIAL": .noCredentials,
    "FIDO_ERR_USER_ACTION_PENDING": .authenticator(code: 0x23),
    "FIDO_ERR_OPERATION_PENDING": .authenticator(code: 0x24),
    "FIDO_ERR_NO_OPERATIONS": .authenticator(code: 0x25),
    "FIDO_ERR_UNSUPPORTED_ALGORITHM": .authenticator(code: 0x26),
    "FIDO_ERR_OPERATION_DENIED": .denied,
    "FIDO_ERR_KEY_STORE_FULL": .keyStoreFull,
    "FIDO_ERR_NOT_BUSY": .authenticator(code: 0x29),
    "FIDO_ERR_NO_OPERATION_PENDING": .authenticator(code: 0x2A),
    "FIDO_ERR_UNSUPPORTED_OPTION": .authenticator(code: 0x2B),
    "FIDO_ERR_INVALID_OPTION": .authenticator(code: 0x2C),
    "FIDO_ERR_KEEPALIVE_CANCEL": .denied,
    "FIDO_ERR_NO_CREDENTIALS": .noCredentials,
    "FIDO_ERR_USER_ACTION_TIMEOUT": .touchTimeout,
    "FIDO_ERR_NOT_ALLOWED": .denied,
    "FIDO_ERR_PIN_INVALID": .pinInvalid(retriesLeft: nil),
    "FIDO_ERR_PIN_BLOCKED": .pinBlocked,
    "FIDO_ERR_PIN_AUTH_INVALID": .pinAuthInvalid,
    "FIDO_ERR_PIN_AUTH_BLOCKED": .pinAuthBlocked(retriesLeft: nil),
    "FIDO_ERR_PIN_NOT_SET": .pinNotSet,
    "FIDO_ERR_PIN_REQUIRED": .pinRequired,
    "FIDO_ERR_PIN_POLICY_VIOLATION": .pinPolicyViolation(.authenticatorPolicy),
    "FIDO_ERR_PIN_TOKEN_EXPIRED": .pinAuthInvalid,
    "FIDO_ERR_REQUEST_TOO_LARGE": .requestTooLarge,
    "FIDO_ERR_ACTION_TIMEOUT": .touchTimeout,
    "FIDO_ERR_UP_REQUIRED": .authenticator(code: 0x3B),
    "FIDO_ERR_UV_BLOCKED": .uvBlocked,
    "FIDO_ERR_UV_INVALID": .uvInvalid,
    "FIDO_ERR_UNAUTHORIZED_PERM": .pinAuthInvalid,
    "FIDO_ERR_ERR_OTHER": .authenticator(code: 0x7F),
    "FIDO_ERR_SPEC_LAST": .authenticator(code: 0xDF),
    "FIDO_ERR_TX": .transport(code: -1),
    "FIDO_ERR_RX": .transport(code: -2),
    "FIDO_ERR_RX_NOT_CBOR": .protocolViolation("the answer is not the CBOR that CTAP prescribes"),
    "FIDO_ERR_RX_INVALID_CBOR": .protocolViolation(
      "the answer is not the CBOR that CTAP prescribes"),
    "FIDO_ERR_INVALID_PARAM": .authenticator(code: -5),
    "FIDO_ERR_INVALID_SIG": .authenticator(code: -6),
    "FIDO_ERR_INVALID_ARGUMENT": .authenticator(code: -7),
    "FIDO_ERR_USER_PRESENCE_REQUIRED": .authenticator(code: -8),
    "FIDO_ERR_INTERNAL": .authenticator(code: -9),
    "FIDO_ERR_NOTFOUND": .authenticator(code: -10),
    "FIDO_ERR_COMPRESS": .authenticator(code: -11),
  ]

  /// The codes by name, read from the installed header.
  private static func header() throws -> [String: Int32] {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["pkg-config", "--variable=includedir", "libfido2"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let folder = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self
    ).split(separator: "\n").first.map(String.init)
    process.waitUntilExit()
    let text = try String(contentsOfFile: try #require(folder) + "/fido/err.h", encoding: .utf8)
    var codes: [String: Int32] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(whereSeparator: \.isWhitespace)
      guard words.count == 3, words[0] == "#define", words[1].hasPrefix("FIDO_ERR_") else {
        continue
      }
      codes[String(words[1])] =
        words[2].hasPrefix("0x") ? Int32(words[2].dropFirst(2), radix: 16) : Int32(words[2])
    }
    return codes
  }

  @Test func `Every code of the installed header has its place in the table`() throws {
    let codes = try Self.header()
    #expect(codes.count >= Self.expected.count)
    #expect(Set(codes.keys).subtracting(Self.expected.keys).isEmpty)
    for (name, code) in codes {
      let expected = try #require(Self.expected[name])
      let status = FIDOStatus(code: code)
      if let expected {
        #expect(status.error == expected, "\(name)")
      } else {
        #expect(status.isOK, "\(name)")
      }
    }
  }

  /// What no PIN, touch or room was asked for is not told of as one.
  @Test func `A call that sends nothing is not answered with a PIN, a touch or room`() {
    for code in Int32(1)...0xFF where code != 0x32 && code != 0x34 {
      switch FIDOStatus(code: code).errorOfSilentCall {
      case .authenticator(let kept): #expect(kept == Int(code))
      case .busy, .noAnswer, .noCredentials, .requestTooLarge: break
      case let other: Issue.record("\(code): \(other)")
      }
    }
  }

  @Test func `No code is ever dropped`() {
    for code in Int32(-300)...300 where code != 0 {
      let error = FIDOStatus(code: code).error
      switch error {
      case .authenticator(let kept), .transport(let kept): #expect(kept == Int(code))
      default: #expect((-4...0x40).contains(code))
      }
    }
  }

  @Test func `A kept code has libfido2's name`() {
    #expect(PRFDeviceError.authenticator(code: 0x12).statusName == "FIDO_ERR_INVALID_CBOR")
    #expect(PRFDeviceError.transport(code: -2).statusName == "FIDO_ERR_RX")
    #expect(PRFDeviceError.denied.statusName == nil)
  }
}
