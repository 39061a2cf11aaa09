/// The name of an operation: its place among all that were ever made, in the place of a SHA-256.
///
/// An operation can name only earlier ones, as with real hashes.
typealias Name = Int

/// The name of an operation that nobody ever made.
let unmade: Name = -1

/// Who made an operation; only the oracle asks.
enum Author: Equatable {
  case person(Int)
  case silent(Int)
  case thief
  case formerKey
  case outsider

  var isHonest: Bool {
    switch self {
    case .person, .silent: true
    case .thief, .formerKey, .outsider: false
    }
  }
}

/// A file of the log, or a sealed operation.
struct Operation {
  var namespace: Int
  var writer: Int
  /// The signing key that it claims; nil in an ordinary one.
  var key: Int?
  /// The key that really signed it; nil is no key.
  var signature: Int?
  var counter: Int
  var previous: Name?
  /// The operation that authorised its writer; sealed ones only.
  var after: Name?
  /// The ends of the ordinary chains that its writer had opened.
  var seen: [Name] = []
  /// The pieces of sealed chains that its writer took into account.
  var seenSealed: [Piece] = []
  /// Whether `seen` is empty, so that it only states that versions are there.
  var isFinding = false
  var changes: [Change] = []
  let author: Author
  /// The operation that this is a copy of, in another spelling.
  var copyOf: Name?

  var isSealed: Bool { key != nil }
}

/// An unbroken piece of a sealed chain.
struct Piece {
  let end: Name
  let first: Int
}

struct FilePut {
  let file: Int
  let content: Int
  let object: Int
  let isSmall: Bool
  var made: Name?
  var by: Int?
  var replaces: [Name]
}

enum Change {
  case writerAdd(writer: Int, key: Int, wallets: Bool)
  case writerRetire(key: Int, writer: Int)
  case filePut(FilePut)
  case fileRemove(file: Int, replaces: [Name])
  case fileSettle(file: Int, replaces: [Name])
  case fileDrop(objects: [Int])
  case put(record: Int, entry: Int)
  case remove(record: Int)
  /// The ends of the chains that were carried; nil before all is carried.
  case from(carried: [Name]?)
  /// The operations that have to be here before the other namespace is in charge.
  case moved(last: [Name])
}
