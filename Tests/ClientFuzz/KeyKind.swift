import FoundationEssentials
import PRFDevice
import SecretMemory
import VirtualKey

/// The kind of key that answers.
struct KeyKind: OptionSet {
  let rawValue: UInt8

  static let oldPINProtocol = KeyKind(rawValue: 0x01)
  static let withoutTokens = KeyKind(rawValue: 0x02)
  static let withoutPIN = KeyKind(rawValue: 0x04)
  static let builtInVerification = KeyKind(rawValue: 0x08)
  static let alwaysVerifies = KeyKind(rawValue: 0x10)
  static let card = KeyKind(rawValue: 0x20)
  static let retriesRead = KeyKind(rawValue: 0x40)
  static let takesShortMessages = KeyKind(rawValue: 0x80)

  func configuration(_ fault: Fault?) -> KeyConfiguration {
    var configuration = KeyConfiguration()
    configuration.sparesCurves = true
    if contains(.oldPINProtocol) { configuration.pinProtocols = [1] }
    if contains(.withoutTokens) { configuration.pinUvAuthToken = false }
    configuration.builtInVerification = contains(.builtInVerification)
    configuration.alwaysVerify = contains(.alwaysVerifies)
    if contains(.takesShortMessages) {
      configuration.maximumCredentialIDLength = 64
      configuration.maximumCredentialCountInList = 1
      configuration.maximumMessageSize = nil
    }
    configuration.faults = fault.map { [$0] } ?? []
    return configuration
  }

  /// Two credentials of one relying party and one of another, and a PIN.
  var store: KeyStore { KeyStore(copying: contains(.withoutPIN) ? Self.open : Self.closed) }

  /// The PIN to give; none for a key that verifies the user itself.
  var pin: PIN? { contains(.builtInVerification) && contains(.withoutPIN) ? nil : Self.pin }

  static let pin: PIN? = try? PIN(SecretBytes(copying: unsafe Array("1234".utf8).span.bytes))
  static let credentials = [0x11, 0x22, 0x33].map { byte in
    [UInt8](repeating: byte, count: 48)
  }

  private static let open = makeStore(pin: nil)
  private static let closed = makeStore(pin: "1234")

  private static func makeStore(pin: String?) -> KeyStore {
    let store = KeyStore()
    do {
      if let pin { try store.setPIN(pin) }
      for (index, id) in credentials.enumerated() {
        let hex = id.map { String($0, radix: 16) }.joined()
        let description = """
          {"rp_id":"\(index < 2 ? "keybackup:" : "elsewhere.example")","credential_id":"\(hex)",
           "cred_random_with_uv":"\(hex.prefix(64))"}
          """
        try store.add(JSONDecoder().decode(ImportedCredential.self, from: Data(description.utf8)))
      }
    } catch {
      preconditionFailure("\(error)")
    }
    return store
  }
}
