import FoundationEssentials
import Testing

/// Runs the second implementations in Tests/interop and Tests/reader.
///
/// They use the environment that scripts/setup-python makes.
enum Python {
  static let interpreter = Build.root + "/.build-python/bin/python"

  static func script(_ name: String) -> [String] { [interpreter, Build.root + "/Tests/" + name] }
}

extension Sandbox {
  /// PRF outputs by python-fido2, for WebAuthn inputs or raw salts.
  func pythonFIDO2(
    rpID: String, credential: [UInt8], inputs: [[UInt8]] = [], salts: [[UInt8]] = [],
    key: [String] = [], reader: String? = nil
  ) async throws -> [String] {
    var command = Python.script("interop/python_fido2.py")
    if let reader { command += ["--reader", reader] }
    command += ["evaluate", "--rp-id", rpID, "--pin", Self.pin, "--credential-id", hex(credential)]
    command += inputs.map { "--prf-input=" + hex($0) } + salts.map { "--salt=" + hex($0) }
    let outcome = try await run(command, key: key)
    guard outcome.code == 0 else { throw NotThatJSON(text: outcome.text) }
    return outcome.out.split(separator: "\n").map(String.init)
  }

  /// The ID of a credential that python-fido2 makes, with the PIN.
  func registerWithPython(
    rpID: String, discoverable: Bool, key: [String] = []
  ) async throws -> [UInt8] {
    let command = Python.script("interop/python_fido2.py")
    let options = ["register", "--rp-id", rpID, "--pin", Self.pin]
    let outcome = try await run(
      command + options + (discoverable ? ["--discoverable"] : []), key: key)
    guard let id = try JSON(outcome.output)["credential_id"].text else {
      throw NotThatJSON(text: outcome.text)
    }
    return bytes(hex: id)
  }

  /// The ID of a credential that Debian's `fido2-cred -M -h` makes, with the PIN.
  func registerWithFIDO2Cred(
    rpID: String, discoverable: Bool, protection: Int? = nil, key: [String] = []
  ) async throws -> [UInt8] {
    var command = Python.script("interop/fido2_tools.py")
    command += ["--register", "--rp-id", rpID, "--pin", Self.pin]
    if discoverable { command.append("--discoverable") }
    if let protection { command += ["--protection", "\(protection)"] }
    command += ["--", Build.virtualKey, "--state", keyState, "--pin", Self.pin] + key
    let outcome = try await run(command, key: nil)
    guard outcome.code == 0 else { throw NotThatJSON(text: outcome.text) }
    return bytes(hex: String(outcome.out.dropLast()))
  }

  /// hmac-secret outputs by Debian's `fido2-assert -G -h`, for raw salts or WebAuthn inputs.
  func fido2Assert(
    rpID: String, credential: [UInt8], salts: [[UInt8]] = [], inputs: [[UInt8]] = [],
    key: [String] = []
  ) async throws -> [String] {
    var command = Python.script("interop/fido2_tools.py")
    command += ["--rp-id", rpID, "--pin", Self.pin, "--credential-id", hex(credential)]
    command += salts.map { "--salt=" + hex($0) } + inputs.map { "--prf-input=" + hex($0) }
    command += ["--", Build.virtualKey, "--state", keyState] + key
    let outcome = try await run(command, key: nil)
    guard outcome.code == 0 else { throw NotThatJSON(text: outcome.text) }
    return outcome.out.split(separator: "\n").map(String.init)
  }
}

extension PreparedBackup {
  /// The output of its key for the envelope's salt, by python-fido2.
  func prfOutput() async throws -> String {
    let envelope = try JSON(Files.read(envelope))
    let salt = bytes(hex: try #require(envelope["prf_salt"].text))
    return try await box.pythonFIDO2(
      rpID: "keybackup:", credential: bytes(base64: credentialID), inputs: [salt])[0]
  }

  /// The content that the reader in Python finds in the folder.
  func readByPython() async throws -> JSON {
    let read = try await box.run(
      Python.script("reader/cspp_reader.py")
        + [box.folder, "--prf-output", try await prfOutput()], key: nil)
    guard read.code < 2 else { throw NotThatJSON(text: read.text) }
    return try JSON(read.output)
  }
}

func hex(_ bytes: [UInt8]) -> String {
  bytes.map { byte in
    let digits = String(byte, radix: 16)
    return digits.count == 1 ? "0" + digits : digits
  }.joined()
}

func bytes(hex: String) -> [UInt8] {
  let digits = Array(hex)
  return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
    UInt8(String(digits[$0...$0 + 1]), radix: 16)
  }
}

/// Text as base64url without padding, as a header stands in its file.
func base64URL(_ text: String) -> String {
  Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
    .replacing("=", with: "")
}

func bytes(base64: String) -> [UInt8] {
  let padding = String(repeating: "=", count: (4 - base64.count % 4) % 4)
  let standard = base64.replacing("-", with: "+").replacing("_", with: "/")
  return Array(Data(base64Encoded: standard + (base64.hasSuffix("=") ? "" : padding)) ?? Data())
}
