import DeviceSuite
import PRFDevice
import SecretMemory
import VirtualKey

/// A simulated key, with everything that is needed to open it again and again.
struct Bench {
  static let pinText = "1234"

  var store = KeyStore()
  var configuration = KeyConfiguration()
  var options = Authenticator.Options()
  let plugged: InProcessKey

  /// Plugs in a key.
  ///
  /// - Parameters:
  ///   - pin: the PIN set on it; `nil` for none.
  ///   - faults: its faults, in the notation of ``Fault``.
  ///   - store: its memory from earlier.
  ///   - configure: changes its abilities.
  /// - Throws: when a fault is misspelt or the system refuses.
  init(
    pin: String? = pinText, faults: [String] = [], store: KeyStore = KeyStore(),
    configure: (inout KeyConfiguration) -> Void = { _ in }
  ) throws {
    self.store = store
    configure(&configuration)
    configuration.faults = try faults.map { text in
      guard let fault = Fault(text) else { throw UnknownFault(text: text) }
      return fault
    }
    if let pin, configuration.clientPIN { try store.setPIN(pin) }
    plugged = try InProcessKey(configuration, store: store)
    options.touchTimeout = .seconds(10)
  }

  struct UnknownFault: Error { let text: String }

  func open() async throws -> Authenticator {
    try await Authenticator.open(over: SimulatedKey(plugged), options: options)
  }

  /// The commands sent so far, without the statuses.
  var commands: [String] {
    plugged.trace.lines.filter { $0 == "INIT" || $0.hasPrefix("CBOR") }
  }

  func count(_ command: String) -> Int {
    commands.count { $0.hasSuffix(command) }
  }
}

func pin(_ text: String = Bench.pinText) throws -> PIN {
  try PIN(SecretBytes(copying: unsafe Array(text.utf8).span.bytes))
}

extension SecretBytes {
  /// For comparing in a test.
  var bytes: [UInt8] {
    withBytes { span in unsafe span.withUnsafeBytes { unsafe Array($0) } }
  }
}

extension CredentialRequest {
  static func test(
    rpID: String = "keybackup:", user: String = "a wallet", isDiscoverable: Bool = true,
    excluding: [CredentialID] = [], protection: CredentialProtection? = nil
  ) -> CredentialRequest {
    CredentialRequest(
      rpID: rpID, rpName: "keybackup", userName: user, userDisplayName: "Display of \(user)",
      isDiscoverable: isDiscoverable, excludedIDs: excluding, protection: protection)
  }
}

/// The error that `body` throws; `nil` when it throws none.
func failure(_ body: () async throws -> Void) async -> PRFDeviceError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? PRFDeviceError
  }
}
