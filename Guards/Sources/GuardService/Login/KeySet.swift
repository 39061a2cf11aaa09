internal import CSPP

/// The keys of an issuer that this guard can use.
struct KeySet: Sendable {
  /// The largest key set, and the largest description of an issuer, 64 KiB.
  static let maximumSize = 65_536
  /// The most keys of a set that are looked at.
  static let maximumKeys = 64

  /// The usable ones.
  let keys: [VerificationKey]

  /// Reads a set (RFC 7517, section 5).
  ///
  /// A key that cannot be used is left out; the others count.
  ///
  /// - Returns: nil for what is no key set.
  init?(parsing text: [UInt8]) async {
    guard text.count <= Self.maximumSize, let descriptions = Self.descriptions(text) else {
      return nil
    }
    var keys: [VerificationKey] = []
    for description in descriptions {
      if let key = await VerificationKey(description) { keys.append(key) }
    }
    self.keys = keys
  }

  /// The key for a token's header.
  ///
  /// - Parameters:
  ///   - id: the header's `kid`. Without it the set must have one key only for the algorithm.
  ///   - algorithm: the header's `alg`.
  /// - Returns: nil where none fits, or more than one.
  func key(_ id: String?, _ algorithm: String) -> VerificationKey? {
    let fitting = keys.filter { $0.algorithm == algorithm && (id == nil || $0.id == id) }
    return fitting.count == 1 ? fitting[0] : nil
  }

  private static func descriptions(_ text: [UInt8]) -> [KeyDescription]? {
    let bytes = unsafe text.span.bytes
    do throws(CSPPError) {
      let object = try JSONObject(parsing: bytes, duplicates: .refusedOnLookup)
      var elements = try JSONElements(try object.required("keys", in: bytes), field: "keys")
      var found: [KeyDescription] = []
      var seen = 0
      while seen < maximumKeys, let value = try elements.next(in: bytes) {
        seen += 1
        if let description = KeyDescription(value, in: bytes) { found.append(description) }
      }
      return found
    } catch {
      return nil
    }
  }
}
