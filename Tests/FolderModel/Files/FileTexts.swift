import BackupFolder
import CSPP
import SecretMemory

/// The contents of files in histories: texts that no two writes share, in three sizes.
enum FileTexts {
  /// The contents for a text: some bytes, an object, or an object that retention may give up.
  static func bytes(_ text: String) -> [UInt8] {
    let size = text.hasSuffix("L") ? 70_000 : text.hasSuffix("M") ? 3000 : 0
    let one = Array(text.utf8) + [32]
    if size == 0 { return one }
    return Array(repeatElement(one, count: size / one.count + 1).joined().prefix(size))
  }

  static func isLarge(_ text: String) -> Bool { text.hasSuffix("L") }

  static func contents(_ text: String) -> FileContents {
    FileContents(bytes: secret(bytes(text)), modified: 1_600_000_000, mode: 0o600)
  }

  static func digest(_ text: String) -> Digest { Digest(of: bytes(text).span) }

  static func batch(_ wallet: String, words: String) throws(BackupFolderError) -> WalletBatch {
    var batch = WalletBatch()
    try unsafe batch.append(WalletText.entry(wallet, words: words).span.bytes)
    return batch
  }
}

extension PathComponent {
  /// A name in a history.
  static func of(_ text: String) -> PathComponent {
    guard let name = PathComponent(text) else { fatalError("no name: \(text)") }
    return name
  }
}
