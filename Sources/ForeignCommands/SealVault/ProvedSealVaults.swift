internal import CommandKit
internal import CommandSupport
internal import ForeignBackups
internal import Glibc
internal import SecretMemory

/// The files of a folder whose names claim to be backups of a device, and which of them are.
///
/// A name proves nothing: anybody may have made it up, and as many as they like. What a password and
/// a KDF secret open is a backup that they made.
struct ProvedSealVaults {
  /// A file and what its name claims.
  struct Claim {
    let file: String
    let version: Int64
  }

  /// The most keys that are derived: each takes about a second.
  private static let derivations = 8
  /// The most bytes that are read.
  private static let bytes = 1 << 30

  /// Those that open.
  private(set) var proved: [Claim] = []
  /// Those that do not, or that nobody tried to open.
  private(set) var others: [Claim] = []
  /// Those that are not there to be opened: placeholders, and those of another scheme.
  private(set) var absent: [Claim] = []

  /// Takes the names as what they are: claims.
  ///
  /// - Parameters:
  ///   - folder: the folder.
  ///   - deviceID: the device.
  init(named folder: SealVaultFolder, of deviceID: String) {
    for file in folder.files {
      guard let name = file.name, name.deviceID == deviceID else { continue }
      let claim = Claim(file: file.file, version: name.version)
      if file.state == .named { others.append(claim) } else { absent.append(claim) }
    }
  }

  /// Opens what can be opened, what this computer remembers first and then the newest.
  ///
  /// Planted files cost little: most are no backups, which needs no key to be seen. Backups of one
  /// database share a nonce, and so a key.
  ///
  /// - Parameters:
  ///   - folder: the folder.
  ///   - known: the newest backup that this computer remembers.
  ///   - password: the password of the new backup.
  ///   - secret: its KDF secret, 32 bytes.
  /// - Throws: `interrupted`.
  mutating func prove(
    in folder: String, knowing known: SealVaultMemory.Seen?,
    _ password: borrowing SealVaultPassword, _ secret: borrowing SecretBytes
  ) throws(UserMessage) {
    var attempt = Attempt(keysLeft: Self.derivations, bytesLeft: Self.bytes)
    // Others of that version, which a name alone makes, take no key from it.
    for remembered in [known, nil] {
      let claims = others
      others = []
      for claim in claims {
        try Interruption.check()
        let isLookedAt = remembered.map { $0.version == claim.version } ?? true
        if isLookedAt,
          attempt.opens(claim.file, in: folder, digest: remembered?.digest, password, secret)
        {
          proved.append(claim)
        } else {
          others.append(claim)
        }
      }
      if remembered == nil { break }
    }
  }

  /// Some names of files in a row.
  static func listed(_ files: [String]) -> String {
    let shown = files.prefix(3).map { ShellWord.quoted($0) }.joined(separator: ", ")
    return files.count > 3 ? "\(shown) and \(files.count - 3) more" : shown
  }
}

/// Opening one file after another with one password and one KDF secret.
private struct Attempt {
  var keysLeft: Int
  var bytesLeft: Int
  /// The keys that were derived so far, each for its nonce.
  private var derived: [Derived] = []

  init(keysLeft: Int, bytesLeft: Int) {
    self.keysLeft = keysLeft
    self.bytesLeft = bytesLeft
  }

  /// Keys cannot be copied into an array.
  private final class Derived {
    let nonce: [UInt8]
    let keys: SealVaultKeys

    init(_ nonce: [UInt8], _ keys: consuming SealVaultKeys) {
      self.nonce = nonce
      self.keys = keys
    }
  }

  /// Whether a file is a backup that opens; false also where it would cost too much, or where the
  /// backup has another digest than the one that is given.
  mutating func opens(
    _ name: String, in folder: String, digest: String?, _ password: borrowing SealVaultPassword,
    _ secret: borrowing SecretBytes
  ) -> Bool {
    let path = "\(folder)/\(name)"
    guard bytesLeft > 0, FileCheck.isFile(path) else { return false }
    do {
      let zip: SecretBytes = try InputFile.readFile(
        path, in: AT_FDCWD, limit: min(bytesLeft, SealVaultBackup.sizeLimit))
      bytesLeft -= zip.count
      let backup = try SealVaultBackup(parsing: zip, named: name)
      if let digest, Hex.string(backup.digest) != digest { return false }
      guard let keys = try keys(for: backup.metadata.kdfNonce, password, secret) else {
        return false
      }
      return try backup.open(with: keys.keys).count > 0
    } catch {
      return false
    }
  }

  /// The keys for a nonce; nil where too many were derived.
  private mutating func keys(
    for nonce: [UInt8], _ password: borrowing SealVaultPassword, _ secret: borrowing SecretBytes
  ) throws(ForeignBackupError) -> Derived? {
    if let found = derived.first(where: { $0.nonce == nonce }) { return found }
    guard keysLeft > 0 else { return nil }
    keysLeft -= 1
    let keys = try SealVaultKeys(password: password, secret: secret, nonce: nonce)
    let made = Derived(nonce, keys)
    derived.append(made)
    return made
  }
}
