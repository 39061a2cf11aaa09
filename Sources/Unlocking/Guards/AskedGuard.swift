package import CSPP
internal import CommandKit

/// A guard as it is asked: its ID, which signs and is signed for, and the address to use.
package struct AskedGuard: Hashable, Sendable {
  /// The guard.
  package let guardID: GuardID
  /// The address.
  package let url: ServiceURL

  /// The guard for a person: its host, safe to show.
  package var name: String { PrintableText.name(url.host, limit: 120) }

  /// The guard with its ID, for a list in which a person compares.
  package var title: String { "\(name) (\(guardID.hex))" }

  package init(guardID: GuardID, url: ServiceURL) {
    self.guardID = guardID
    self.url = url
  }
}

extension [AskedGuard] {
  /// The hosts, for a message.
  package var names: String { map(\.name).joined(separator: ", ") }
}

/// A guard as a person names it: by its address, or by its ID and address.
package struct NamedGuard: Equatable, Sendable {
  /// The address.
  package let url: ServiceURL
  /// The ID that the guard at this address must have; nil: any.
  package let guardID: GuardID?

  /// Names a guard.
  package init(url: ServiceURL, guardID: GuardID?) {
    self.url = url
    self.guardID = guardID
  }

  /// Reads `URL` or `ID=URL`; nil for another text.
  package init?(_ text: String) {
    if let url = ServiceURL(text) {
      self.init(url: url, guardID: nil)
      return
    }
    let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2, let id = GuardID(hex: parts[0].lowercased()),
      let url = ServiceURL(parts[1])
    else { return nil }
    self.init(url: url, guardID: id)
  }

  /// Whether this guard may be meant.
  package func means(_ server: AskedGuard) -> Bool {
    url == server.url && (guardID == nil || guardID == server.guardID)
  }

  /// Refuses guards that cannot be read, or are named twice.
  ///
  /// - Parameter texts: what the person typed.
  /// - Returns: the reason; nil: there is none.
  package static func problem(_ texts: [String]) -> String? {
    let named = texts.compactMap { NamedGuard($0) }
    guard named.count == texts.count else {
      return "--server takes a guard's address, or its ID of 32 digits, =, and its address; "
        + "an address begins with https:// and has no user and no query"
    }
    let ids = named.compactMap(\.guardID)
    let areDifferent = Set(named.map(\.url)).count == named.count && Set(ids).count == ids.count
    return areDifferent ? nil : "name each guard once"
  }
}
