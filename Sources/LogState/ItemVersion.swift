// Rule 1: a version is its bytes.

public import CSPP

/// A thing that has versions: a wallet's record or a file.
public enum Item: Hashable, Sendable {
  /// A wallet's record.
  case wallet(RecordID)
  /// A file.
  case file(FileID)
}

/// The name of a version: a SHA-256 digest over its bytes and where they belong.
///
/// docs/format.md, rule 1. A copy has the same name, wherever it lies.
public struct VersionName: Hashable, Sendable {
  /// The digest.
  public let digest: Digest

  /// Creates the name from its digest.
  public init(_ digest: Digest) { self.digest = digest }

  /// Computes the name of a version.
  ///
  /// - Parameters:
  ///   - item: the wallet's record or the file.
  ///   - author: the silent writer that made the version, if one did.
  ///   - copied: the version that it is a copy of, if a person chose that one.
  ///   - bytes: the digest of the WalletEntry, or of the file's `version` object.
  public init(
    of item: Item, by author: SigningKey?, copied: VersionName?, bytes: Digest
  ) {
    var text = Array("keybackup:v1:version".utf8) + [0]
    switch item {
    case .wallet(let record): text += [1] + record.bytes
    case .file(let file): text += [2] + file.bytes
    }
    let none = [UInt8](repeating: 0, count: 32)
    text += author?.bytes ?? none
    text += copied?.digest.bytes ?? none
    text += bytes.bytes
    digest = Digest(of: text.span)
  }

  /// Hashes a part of it: the digest is evenly spread.
  public func hash(into hasher: inout Hasher) { hasher.combine(digest.words.x) }
}

extension VersionName: Comparable {
  /// Whether `left` precedes `right` in the order of the digests.
  public static func < (left: Self, right: Self) -> Bool { left.digest < right.digest }
}

/// A version of a wallet or a file, as an operation adds it.
public struct ItemVersion: Hashable, Sendable {
  /// The wallet's record or the file.
  public let item: Item
  /// Its name.
  public let name: VersionName
  /// The digest of what a person sees; versions with equal contents are no conflict.
  public let contents: Digest
  /// The silent writer that made it, if one did.
  public let author: SigningKey?
  /// The version that it is a copy of, by a person's choice.
  public let copied: VersionName?

  /// Creates a wallet's version, and computes its name.
  ///
  /// It is never a copy.
  ///
  /// - Parameters:
  ///   - record: the wallet's record.
  ///   - entry: the digest of the WalletEntry.
  ///   - contents: the digest of the entry without its mark.
  ///   - author: the silent writer that the mark names, if the mark fits the entry.
  public init(wallet record: RecordID, entry: Digest, contents: Digest, by author: SigningKey?) {
    self.init(of: .wallet(record), bytes: entry, contents: contents, author, copied: nil)
  }

  /// Creates a file's version, and computes its name.
  ///
  /// - Parameters:
  ///   - file: the file.
  ///   - bytes: the digest of the `version` object's bytes.
  ///   - contents: the digest of its `name` and `content`.
  ///   - author: the silent writer that made it, if one did.
  ///   - copied: the version that it is a copy of, if a person chose that one.
  public init(
    file: FileID, bytes: Digest, contents: Digest, by author: SigningKey?, copied: VersionName?
  ) {
    self.init(of: .file(file), bytes: bytes, contents: contents, author, copied: copied)
  }

  private init(
    of item: Item, bytes: Digest, contents: Digest, _ author: SigningKey?, copied: VersionName?
  ) {
    self.item = item
    self.contents = contents
    self.author = author
    self.copied = copied
    name = VersionName(of: item, by: author, copied: copied, bytes: bytes)
  }

  /// Versions of one name are one version.
  public static func == (left: ItemVersion, right: ItemVersion) -> Bool { left.name == right.name }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
