public import CSPP

/// A file in the backup, with its versions.
public struct BackedUpFile: Equatable, Sendable {
  /// The file.
  public let id: FileID
  /// Every version that is kept, newest first by the writers' clocks.
  public let versions: [StoredVersion]
  /// The number of versions that were given up.
  public let dropped: Int

  /// The versions that count; several with different contents are a conflict.
  public var live: [StoredVersion] { versions.filter { $0.standing == .live } }
  /// The newest version that counts, or that was written late, or the newest that a retired computer
  /// did not make.
  public var newest: StoredVersion? {
    live.first ?? late.first ?? versions.first { $0.standing != .heldBack && !$0.isRefused }
      ?? versions.first
  }
  /// The versions that are live in an earlier namespace only, with contents that no live one has.
  public var late: [StoredVersion] {
    let contents = Set(live.map(\.content))
    return versions.filter { $0.standing == .late && !contents.contains($0.content) }
  }
  /// Whether the live versions differ in their contents.
  public var isConflicted: Bool { Set(live.map(\.content)).count > 1 }
  /// Whether no version counts, here or in an earlier namespace, and none waits for a decision.
  public var isRemoved: Bool {
    versions.allSatisfy { $0.standing == .replaced || $0.standing == .removed }
  }
  /// The versions that a retirement holds back, and on which nobody has decided.
  public var heldBack: [StoredVersion] { versions.filter { $0.standing == .heldBack } }
}

/// One version of a file.
public struct StoredVersion: Equatable, Sendable {
  /// The effect of other operations on a version.
  public enum Standing: String, Equatable, Sendable {
    /// It counts.
    case live
    /// Another version took its place.
    case replaced
    /// The file was removed.
    case removed
    /// A retirement of its writer's key did not know it; a person may choose or refuse it.
    case heldBack = "held-back"
    /// It is live in an earlier namespace, and not here.
    case late
  }

  /// The state of a version's contents; they are not read for it.
  public enum ObjectState: String, Equatable, Sendable {
    /// They lie in the operation.
    case inline
    /// The object is here.
    case here
    /// The object is not here.
    case missing
    /// A file of that name is here and has another size.
    case wrongSize = "wrong-size"
  }

  /// The file.
  public let file: FileID
  /// The operation that holds the version; people name the version by its first digits.
  public let operation: Operation.Seen
  /// The namespace of that operation.
  public let namespace: NamespaceID
  /// The operation that first held the version.
  public let made: Digest
  /// The signing key of the silent writer that made it; nil for an ordinary operation.
  public let by: SigningKey?
  /// The label of the computer that made it; nil if it has none that can name a folder.
  public let label: PathComponent?
  /// The file's name in this version.
  public let name: PathComponent
  /// The time of the operation by its writer's clock, in Unix seconds.
  public let at: UInt64
  /// The time of the file's last change, a claim of its writer, in Unix seconds.
  public let modified: UInt64
  /// The size of the contents in bytes.
  public let size: UInt64
  /// The file's permission bits.
  public let mode: UInt16
  /// The digest of the contents.
  public let content: Digest
  /// The effect of other operations.
  public let standing: Standing
  /// The state of its contents.
  public let object: ObjectState
  /// Whether a retirement held it back, and a person has refused it.
  public internal(set) var isRefused = false

  /// The first 8 digits of its operation's digest.
  public var shortName: String { String(operation.digest.hex.prefix(8)) }

  /// Whether a text names this version, by at least 4 of its first digits.
  ///
  /// A version that was chosen again is also known by the operation that first held it.
  public func matches(_ text: String) -> Bool {
    let digits = text.lowercased()
    return text.utf8.count >= 4
      && (operation.digest.hex.hasPrefix(digits) || made.hex.hasPrefix(digits))
  }
}

/// The result of adding a version of a file.
public enum AddedVersion: Equatable, Sendable {
  /// The version is durable.
  case added(file: FileID, operation: Operation.Seen, size: UInt64)
  /// The newest version has the same contents, and nothing was written.
  case unchanged(file: FileID)

  /// Whether something was written.
  public var isNew: Bool {
    if case .added = self { true } else { false }
  }
}

/// The result of giving up old versions of files.
public struct PrunedVersions: Equatable, Sendable {
  /// The number of versions that were given up.
  public internal(set) var versions = 0
  /// The number of objects that were removed.
  public internal(set) var objects = 0
  /// The size of these objects in bytes.
  public internal(set) var bytes: UInt64 = 0

  /// Creates an empty result.
  public init() {}
}

/// The reason why a file or version cannot be read or changed.
public enum FileObstacle: Equatable, Sendable {
  /// The backup has no such file.
  case noSuchFile
  /// The file has no such version.
  case noSuchVersion
  /// The source changed each time while it was read.
  case changedWhileReading
  /// The version's object is not here.
  case contentsMissing
  /// The version's object is here in part: not synchronised yet.
  case contentsIncomplete
  /// The version's contents are not those that its writer described.
  case contentsDamaged
  /// The contents of a version that was written late are damaged, and a decision about its file would
  /// name it; who goes on decides without them.
  case lateContentsDamaged
  /// Operations or versions are named that are not here; who goes on may decide without them.
  case historyIncomplete
}
