package import CommandKit
package import PRFDevice

/// The suitable security keys, for the text that asks for one.
package struct WantedAuthenticator: Sendable {
  /// The names of the suitable keys, by their credentials; empty for any key.
  package var names: [CredentialID: String] = [:]
  /// The credentials of the keys to name; nil for all of ``names``.
  ///
  /// The others open only an earlier backup, or were removed.
  package var named: Set<CredentialID>?
  /// The labels of key slots that need no security key.
  package var otherKeySlots: [String] = []
  /// The options that use these.
  package var otherOptions: [String] = []

  /// The purpose for which it is requested.
  package var purpose = Event.KeyPurpose.opening

  package static let any = WantedAuthenticator()

  package init(
    names: [CredentialID: String] = [:], named: Set<CredentialID>? = nil,
    otherKeySlots: [String] = [], otherOptions: [String] = [], purpose: Event.KeyPurpose = .opening
  ) {
    self.names = names
    self.named = named
    self.otherKeySlots = otherKeySlots
    self.otherOptions = otherOptions
    self.purpose = purpose
  }

  /// The names, each once, safe to print.
  package var labels: [String] {
    Set(
      names.filter { named?.contains($0.key) ?? true }.values.map {
        PrintableText.clean($0, limit: 40)
      }.filter { !$0.isEmpty }
    ).sorted()
  }
}
