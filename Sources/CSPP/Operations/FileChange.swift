/// A change of one file's versions.
///
/// An operation that holds a version is named by its digest; it holds at most one of each file.
public enum FileChange: Equatable, Sendable {
  /// A version of the file.
  case put(FilePut)
  /// A conflict of the file's versions was ended: the versions of these operations no longer
  /// count.
  case settle(FileID, replaces: [Digest])
  /// The file was removed: the versions of these operations no longer count.
  case remove(FileID, replaces: [Digest])
  /// The versions of these operations were given up. A live one is not.
  case drop(FileID, versions: [Digest])
}

/// A version of a file, and the versions that it replaces.
public struct FilePut: Equatable, Sendable {
  /// The file.
  public let fileID: FileID
  /// Its name.
  public let name: PathComponent
  /// Its contents.
  public let version: FileVersion
  /// The operation that first held the version; nil if it is the change's own.
  public let origin: FileOrigin?
  /// The operations whose version of this file it replaces.
  public let replaces: [Digest]
}

extension FilePut {
  /// The same version, with other operations whose version of this file it replaces.
  public func replacing(_ names: [Digest]) -> FilePut {
    FilePut(fileID: fileID, name: name, version: version, origin: origin, replaces: names)
  }

  /// The same version as the operation's own, which replaces nothing.
  public var alone: FilePut {
    FilePut(fileID: fileID, name: name, version: version, origin: nil, replaces: [])
  }
}

/// The operation that first held a version which another one carried, adopted or accepted.
public struct FileOrigin: Hashable, Sendable {
  /// The operation.
  public let made: Digest
  /// The signing key of the silent writer that made it; nil for an ordinary operation.
  public let by: SigningKey?

  /// Creates an origin.
  public init(made: Digest, by: SigningKey?) {
    self.made = made
    self.by = by
  }

  /// The change's fields, after others.
  var members: String {
    let signer = by.map { ",\"by\":\"\($0)\"" } ?? ""
    return ",\"made\":\"\(made)\"\(signer)"
  }
}

extension Operation {
  /// The places in ``changes`` of versions that do not count, because an earlier change of the
  /// same operation has a version of the same file.
  public var repeatedFilePuts: Set<Int> { Self.repeatedFilePuts(in: changes) }

  static func repeatedFilePuts(in changes: [Change]) -> Set<Int> {
    var files: Set<FileID> = []
    var places: Set<Int> = []
    for (place, change) in changes.enumerated() {
      guard case .file(.put(let put)) = change else { continue }
      if !files.insert(put.fileID).inserted { places.insert(place) }
    }
    return places
  }
}

extension FilePut {
  init(_ object: JSONObject, in text: RawSpan) throws(CSPPError) {
    fileID = try object.required("file_id", in: text).identifier("file_id", in: text)
    name = try object.required("name", in: text).component("name", in: text)
    version = try FileVersion(object.required("version", in: text), in: text)
    let by: SigningKey? = try object.optional("by", in: text)
      .map { (value) throws(CSPPError) in try value.identifier("by", in: text) }
    let made: Digest? = try object.optional("made", in: text)
      .map { (value) throws(CSPPError) in try value.identifier("made", in: text) }
    if by != nil, made == nil { throw .missingField("made") }
    origin = made.map { FileOrigin(made: $0, by: by) }
    replaces = try FileChange.digests(object, "replaces", in: text)
  }
}

extension FileChange {
  static func digests(
    _ object: JSONObject, _ name: StaticString, in text: RawSpan
  ) throws(CSPPError) -> [Digest] {
    var elements = try JSONElements(object.required(name, in: text), field: name)
    var digests: [Digest] = []
    while let element = try elements.next(in: text) {
      digests.append(try element.identifier(name, in: text))
    }
    return digests
  }
}
