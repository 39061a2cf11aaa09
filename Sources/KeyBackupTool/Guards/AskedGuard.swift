internal import CSPP

/// A guard as it is asked: its ID, which signs and is signed for, and the address to use.
struct AskedGuard: Hashable, Sendable {
  /// The guard.
  let guardID: GuardID
  /// The address.
  let url: ServiceURL

  /// The guard for a person: its host, safe to show.
  var name: String { PrintableText.name(url.host, limit: 120) }

  /// The guard with its ID, for a list in which a person compares.
  var title: String { "\(name) (\(guardID.hex))" }
}

extension [AskedGuard] {
  /// The hosts, for a message.
  var names: String { map(\.name).joined(separator: ", ") }
}
