internal import CSPP
internal import CommandKit
internal import FileCommands
internal import ForeignBackups
internal import SecretMemory

extension ForeignAddition {
  /// Takes the root secret of an archive, then every file.
  ///
  /// The backup has no folders: a path becomes a name, and the end of the account's ID is in it.
  ///
  /// - Parameter opened: the archive.
  /// - Throws: `usage` for what cannot be a name.
  mutating func append(_ opened: borrowing OpenedWorld) throws(UserMessage) {
    var names = WorldNames(accountID: opened.accountID)
    try append(
      opened.archive.rootSecretText(), name: names.name(of: WorldArchive.rootSecretName))
    for file in opened.archive.files {
      let contents: SecretBytes
      do throws(ForeignBackupError) {
        contents = try opened.archive.contents(of: file)
      } catch {
        throw UserMessage(error)
      }
      try append(contents, name: names.name(of: file.path.text))
    }
  }
}

/// The names that the files of an archive get in the backup.
struct WorldNames {
  private let prefix: String
  private var taken: Set<String> = []

  /// - Parameter accountID: whose archive it is.
  init(accountID: String) { prefix = "world-app-\(accountID.suffix(8))-" }

  /// A name of its own for a path.
  mutating func name(of path: String) -> String {
    let plain = prefix + path.split(separator: "/").joined(separator: "-")
    let isFree = plain.utf8.count <= PathComponent.byteLimit && !taken.contains(plain.lowercased())
    var name = plain
    var hashed = path
    if !isFree {
      // The archive's maker may have chosen a path that looks like the hash of another.
      repeat {
        hashed = Hex.string(SHA256.hash(Array(hashed.utf8)))
        name = prefix + hashed
      } while taken.contains(name)
    }
    taken.insert(name.lowercased())
    return name
  }
}
