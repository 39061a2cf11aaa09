internal import PRFDevice

/// Which security keys would do, for the words that ask for one.
struct WantedAuthenticator: Sendable {
  /// What the keys that would do are called, by their credentials; none: any key.
  var names: [CredentialID: String] = [:]
  /// Key slots that need no security key, by their labels.
  var otherKeySlots: [String] = []

  /// What it is wanted for.
  var purpose = Event.KeyPurpose.opening

  static let any = WantedAuthenticator()

  /// The names, each once, safe to print.
  var labels: [String] {
    Set(names.values.map { PrintableText.clean($0, limit: 40) }.filter { !$0.isEmpty }).sorted()
  }
}
