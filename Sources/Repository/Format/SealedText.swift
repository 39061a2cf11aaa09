public import CSPP
public import LogState
internal import SecretMemory

/// An opened operation of a silent writer: what the rules read of it, and where its bytes lie.
public struct SealedText: Sendable {
  /// The operation as the rules read it.
  public let operation: SilentOperation
  /// The time in Unix seconds, by the writer's clock: a claim.
  public let at: UInt64
  /// The bytes of each version that it adds: a WalletEntry, or a `version` object.
  public let versions: [VersionName: Range<Int>]
  /// The names of changes that have no effect: no silent writer may make them, or a newer program
  /// wrote them.
  public let ignored: Set<String>

  /// Reads the text of a sealed operation.
  ///
  /// - Parameters:
  ///   - text: the plaintext.
  ///   - file: its file, whose signature was verified.
  ///   - key: the key that signed it.
  /// - Throws: errors about bytes and fields; ``CSPP/CSPPError/contradictsPlace(_:)`` for another
  ///   file's text.
  public init(
    parsing text: RawSpan, of file: SealedOperationFile, signedBy key: SigningKey
  ) throws(CSPPError) {
    let object = try JSONObject(parsing: text, duplicates: .refused)
    let stated: Digest = try object.id("header", in: text)
    guard stated == file.headerDigest else { throw .contradictsPlace("header") }
    at = try object.required("at", in: text).integer("at", in: text)
    var added: [ItemVersion] = []
    var ended: [(file: FileID, bytes: Digest)] = []
    var versions: [VersionName: Range<Int>] = [:]
    var ignored: Set<String> = []
    var elements = try JSONElements(object.required("changes", in: text), field: "changes")
    while let element = try elements.next(in: text) {
      let members = try JSONObject(element, in: text, duplicates: .refused).members
      guard members.count == 1 else { throw .invalidField("changes") }
      let name = members[0].name.string(in: text)
      let kind = ChangeKind(rawValue: name)
      guard let kind, [.put, .filePut, .end].contains(kind) else {
        ignored.insert(name)
        continue
      }
      let fields = try JSONObject(members[0].value, in: text, duplicates: .refused)
      let new: (version: ItemVersion, range: Range<Int>)
      switch kind {
      case .put: new = try fields.wallet(in: text)
      case .filePut: new = try fields.fileVersion(by: key, copied: nil, in: text)
      default:
        let file: FileID = try fields.id("file_id", in: text)
        ended += try fields.digests("digests", in: text).map { (file, $0) }
        continue
      }
      added.append(new.version)
      versions[new.version.name] = new.range
    }
    let header = file.header
    operation = SilentOperation(
      to: header.namespaceID, signedBy: key, header.counter, file.digest, after: header.previous,
      added: added, ended: ended)
    self.versions = versions
    self.ignored = ignored
  }
}
