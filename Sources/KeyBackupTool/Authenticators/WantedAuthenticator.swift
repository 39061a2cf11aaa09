internal import PRFDevice

/// The suitable security keys, for the text that asks for one.
struct WantedAuthenticator: Sendable {
  /// The names of the suitable keys, by their credentials; empty for any key.
  var names: [CredentialID: String] = [:]
  /// The credentials of the keys to name; nil for all of ``names``.
  ///
  /// The others open only an earlier backup, or were removed.
  var named: Set<CredentialID>?
  /// The labels of key slots that need no security key.
  var otherKeySlots: [String] = []
  /// The options that use these.
  var otherOptions: [String] = []

  /// The purpose for which it is requested.
  var purpose = Event.KeyPurpose.opening

  static let any = WantedAuthenticator()

  /// The names, each once, safe to print.
  var labels: [String] {
    Set(
      names.filter { named?.contains($0.key) ?? true }.values.map {
        PrintableText.clean($0, limit: 40)
      }.filter { !$0.isEmpty }
    ).sorted()
  }
}
