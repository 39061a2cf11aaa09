internal import ForeignBackups
internal import Glibc
internal import SecretMemory

/// The files of a folder whose names claim older backups of a device.
///
/// A name proves nothing. The new backup replaces those that its password and KDF secret open.
struct EarlierSealVaults {
  /// The most that are opened: each takes about a second.
  private static let limit = 8

  /// The names of those that open, the newest first.
  private(set) var proved: [String] = []
  /// The names of the others, which are not touched.
  private(set) var others: [String] = []

  /// Opens the older ones of a device.
  ///
  /// - Parameters:
  ///   - folder: the folder.
  ///   - version: the version of the new backup.
  ///   - deviceID: the device.
  ///   - password: the password of the new backup.
  ///   - secret: its KDF secret, 32 bytes.
  /// - Throws: the errors of listing the folder, `interrupted`.
  init(
    in folder: String, before version: Int64, of deviceID: String,
    _ password: borrowing SealVaultPassword, _ secret: borrowing SecretBytes
  ) throws(UserMessage) {
    let names = try SealVaultFolder(folder).older(than: version, of: deviceID)
    for (place, name) in names.enumerated() {
      try Interruption.check()
      let isOpen =
        try? place < Self.limit && Self.opens("\(folder)/\(name)", name, password, secret)
      if isOpen == true { proved.append(name) } else { others.append(name) }
    }
  }

  /// Some names of files in a row.
  static func listed(_ files: [String]) -> String {
    let shown = files.prefix(3).map { ShellWord.quoted($0) }.joined(separator: ", ")
    return files.count > 3 ? "\(shown) and \(files.count - 3) more" : shown
  }

  private static func opens(
    _ path: String, _ name: String, _ password: borrowing SealVaultPassword,
    _ secret: borrowing SecretBytes
  ) throws -> Bool {
    guard FileCheck.isFile(path) else { return false }
    let zip: SecretBytes = try InputFile.readFile(
      path, in: AT_FDCWD, limit: SealVaultBackup.sizeLimit)
    let backup = try SealVaultBackup(parsing: zip, named: name)
    let keys = try SealVaultKeys(
      password: password, secret: secret, nonce: backup.metadata.kdfNonce)
    return try backup.open(with: keys).count > 0
  }
}
