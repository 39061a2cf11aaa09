internal import ArgumentParser
internal import CommandKit
internal import ForeignBackups
internal import SecretMemory

/// The file that a command is about.
struct CeloFileArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("The JSON file, or -.", valueName: "file"))
  var file: String

  /// Reads and checks it.
  ///
  /// - Throws: `no-input`, `permission-denied`, `io`, `data-invalid`.
  func read(_ world: World) throws(UserMessage) -> CeloBackup {
    let bytes = try InputFile.read(file, limit: CeloBackup.sizeLimit, world.streams)
    do throws(ForeignBackupError) {
      return try unsafe CeloBackup(parsing: bytes.span.bytes)
    } catch {
      throw UserMessage(error, in: file)
    }
  }
}

extension PasswordOptions {
  /// The password or PIN of a Celo file, as UTF-8.
  ///
  /// - Parameters:
  ///   - prompter: the person.
  ///   - twice: whether a person types it twice.
  /// - Returns: the bytes.
  /// - Throws: as ``read(_:_:twice:limit:)``; `data-invalid` for one that is too long.
  func celoPassword(_ prompter: Prompter, twice: Bool) throws(UserMessage) -> SecretBytes {
    // The longest line that a terminal gives.
    let limit = 4094
    let password = try read("password or PIN of the backup", prompter, twice: twice, limit: limit)
    guard password.count <= limit else {
      throw UserMessage(.dataInvalid, "the password is longer than \(limit) bytes")
    }
    return password
  }
}
