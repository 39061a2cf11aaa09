internal import PRFDevice

/// The suitable security keys, for the text that asks for one.
struct WantedAuthenticator: Sendable {
  /// The names of the suitable keys, by their credentials; empty for any key.
  var names: [CredentialID: String] = [:]
  /// The labels of key slots that need no security key.
  var otherKeySlots: [String] = []

  /// The purpose for which it is requested.
  var purpose = Event.KeyPurpose.opening

  static let any = WantedAuthenticator()

  /// The names, each once, safe to print.
  var labels: [String] {
    Set(names.values.map { PrintableText.clean($0, limit: 40) }.filter { !$0.isEmpty }).sorted()
  }
}
