/// The modes of RFC 9497 that are here; their keys and outputs have nothing in common.
public enum OPRFMode: UInt8, Sendable, CaseIterable {
  /// The base mode (OPRF): the client must trust the server to use one key.
  case base = 0
  /// The verifiable mode (VOPRF): a proof shows that the server used the key it is known by.
  case verifiable = 1

  /// The suite's name in RFC 9497, section 4.1.
  public static let suite = "ristretto255-SHA512"

  /// The context string of section 3.1, which separates modes and suites.
  var context: [UInt8] { Array("OPRFV1-".utf8) + [rawValue] + Array("-\(Self.suite)".utf8) }

  /// A label followed by the context string: the domain of one use of a hash.
  func domain(_ label: String) -> [UInt8] { Array(label.utf8) + context }
}
