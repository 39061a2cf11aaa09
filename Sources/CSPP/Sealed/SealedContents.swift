/// The contents of a sealed operation: a view of its text, which stays in guarded memory.
public struct SealedContents: Equatable, Sendable {
  /// The reason why a change counts or has no effect.
  public enum Verdict: Equatable, Sendable {
    /// The change counts.
    case counts
    /// The writer's `writer-add` does not permit changes of this kind.
    case notPermitted
    /// Changes of this kind never count in a sealed operation.
    case notForSilentWriters
    /// The version names an origin, which is only for operations with the master key.
    case claimsOrigin
    /// An earlier change of the operation has a version of the same file.
    case repeated
    /// This program does not know changes of this kind.
    case unknown
  }

  /// The time in Unix seconds, by the writer's clock: a claim.
  public let at: UInt64
  /// The operation that authorised the writer.
  public let after: Operation.Seen
  /// All changes in the order of the text, also those that do not count.
  public let changes: [Operation.Change]

  init(_ text: RawSpan, header: Digest) throws(CSPPError) {
    let object = try JSONObject(parsing: text, duplicates: .refused)
    let stated: Digest = try object.required("header", in: text).identifier("header", in: text)
    guard stated == header else { throw .contradictsPlace("header") }
    at = try object.required("at", in: text).integer("at", in: text)
    after = try Operation.Seen(object.required("after", in: text), in: text)
    changes = try Operation.Change.list(
      object.required("changes", in: text), .sealed, in: text)
  }

  /// Judges the changes; one that does not count is reported and has no effect.
  ///
  /// - Parameter may: what the writer's `writer-add` permits.
  /// - Returns: a verdict for each of ``changes``.
  public func verdicts(_ may: SilentWriter.Permissions) -> [Verdict] {
    let repeated = Operation.repeatedFilePuts(in: changes)
    return changes.enumerated().map { place, change in
      switch change {
      case .put: return may.contains(.put) ? .counts : .notPermitted
      case .file(.remove): return may.contains(.fileRemove) ? .counts : .notPermitted
      case .file(.put(let put)):
        if !may.contains(.filePut) { return .notPermitted }
        if put.origin != nil { return .claimsOrigin }
        return repeated.contains(place) ? .repeated : .counts
      case .unknown(let kind):
        return Operation.Change.Kind(rawValue: kind) == nil ? .unknown : .notForSilentWriters
      default: return .notForSilentWriters
      }
    }
  }
}
