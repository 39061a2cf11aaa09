import Glibc
import PRFDevice
import SecretMemory
import Surroundings

/// Derives a key from a security key.
///
///     derive-key create         makes a credential on the key
///     derive-key PURPOSE        writes the key for a purpose, 64 hex digits
///
/// The PIN is the first line of standard input.
@main
struct DeriveKey {
  /// Names your program to the security key.
  ///
  /// Like `ssh:` it is no web address, so no web page can ask for your secrets.
  static let relyingParty = "example:"

  static func main() async { await program(run) }

  static func run() async throws {
    guard CommandLine.arguments.count == 2 else {
      tell("usage: derive-key create | PURPOSE")
      exit(64)
    }
    let pin = try PIN(StandardInput.line())
    guard let descriptor = try await AuthenticatorList.connected().first else {
      throw PRFDeviceError.noAuthenticator
    }
    let authenticator = try await Authenticator.open(descriptor)
    if CommandLine.arguments[1] == "create" {
      try await create(on: authenticator, pin: pin)
    } else {
      let key = try await derive(CommandLine.arguments[1], from: authenticator, pin: pin)
      write(key)
    }
    await authenticator.close()
  }

  /// Once for each security key.
  static func create(on authenticator: Authenticator, pin: PIN) async throws {
    let request = CredentialRequest(
      rpID: relyingParty, rpName: "Example", userName: "example", userDisplayName: "Example",
      isDiscoverable: true)
    _ = try await authenticator.createCredential(request, pin: pin)
  }

  /// The same 32 bytes each time, for the same key and purpose.
  static func derive(
    _ purpose: String, from authenticator: Authenticator, pin: PIN
  ) async throws -> SecretBytes {
    let request = PRFRequest(rpID: relyingParty, first: .webAuthn(Array(purpose.utf8)))
    let answers = try await authenticator.evaluate(request, pin: pin) {
      tell("Touch the security key now.")
    }
    return answers[0].first()
  }

  /// Hexadecimal digits, which never leave guarded memory on their way out.
  static func write(_ key: borrowing SecretBytes) {
    var digits = SecretBytes(zeroed: 2 * key.count)
    digits.withUnsafeMutableBytes { digits in
      key.withBytes { Hex.encode($0, into: digits) }
    }
    digits.withUnsafeBytes { _ = Glibc.write(1, $0.baseAddress, $0.count) }
    print()
  }
}
