/// The events as they really were.
///
/// Only the checks ask it.
struct Truth {
  struct Made {
    let file: Int
    let author: Author
    let key: Int?
    let object: Int
    let isSmall: Bool
  }

  /// The versions, by the operation that first had them.
  var versions: [Name: Made] = [:]
  /// The versions that the maker of an operation meant to replace, and had seen.
  var meant: [Name: Set<Name>] = [:]
  /// The versions that a person chose.
  var chosen: Set<Name> = []
  /// Copies without `made`, and the version that each one copies.
  var copies: [Name: Name] = [:]
  /// The conflicts that a person settled: the versions put aside.
  var settled: [(by: Name, file: Int, aside: Set<Name>)] = []
  /// The files that were removed, with the operation.
  var removed: [Int: [Name]] = [:]
  /// The entries of wallets: who made them.
  var entries: [Int: (by: Name, author: Author, record: Int)] = [:]
  /// The entries that a person saw and replaced or removed, by the operation.
  var endedEntries: [Name: Set<Int>] = [:]
  var stolen: Set<Int> = []
  /// The operations that retired a key.
  var retired: [Int: [Name]] = [:]
  /// What an attacker took away.
  var destroyed: Set<Name> = []
  var destroyedObjects: Set<Int> = []
  /// What retention took away.
  var dropped: Set<Int> = []
  /// Objects that were not here when they should have been copied.
  var uncopied: Set<Int> = []
  /// Operations whose bytes a silent writer had remembered when it was killed.
  var remembered: Set<Name> = []
}
