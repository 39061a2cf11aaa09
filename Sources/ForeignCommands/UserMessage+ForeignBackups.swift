package import CommandKit
internal import CommandSupport
package import ForeignBackups

extension UserMessage {
  /// The message for a backup of another program that does not open, or cannot be written.
  ///
  /// - Parameters:
  ///   - error: what was found.
  ///   - file: the backup as the person named it; nil where the error is not about one.
  package init(_ error: ForeignBackupError, in file: String? = nil) {
    let place = file.map { " in \(ShellWord.quoted($0))" } ?? ""
    self =
      switch error {
      case .damaged(let part):
        UserMessage(
          .dataInvalid, "\(part)\(place) is damaged, or not of this format",
          hint: "check that it is the right file, or get another copy; a sync program may keep "
            + "earlier ones")
      case .otherKind(let kind):
        UserMessage(
          .dataInvalid, "\(file.map { ShellWord.quoted($0) } ?? "the input") is no \(kind)",
          hint: "check that it is the right file")
      case .empty(let part):
        UserMessage(
          .dataInvalid, "\(part)\(place) is empty",
          hint: "check that it is the right file; a sync program may not have downloaded it yet")
      case .cutOff(let part):
        UserMessage(
          .dataInvalid, "\(part)\(place) is missing or damaged",
          hint: "the file was changed, cut or not wholly downloaded: get another copy")
      case .misnamed(let right):
        UserMessage(
          .dataInvalid,
          "the name of \(file.map { ShellWord.quoted($0) } ?? "the file") is not the one in "
            + "metadata.json",
          hint: "if you or a program renamed it, give it the right name: \(right)\n"
            + "otherwise get another copy: somebody may have changed the file")
      case .missing(let part):
        UserMessage(
          .dataInvalid, "\(part)\(place) is missing",
          hint: "get another copy of the file; a sync program may keep earlier ones")
      case .unhardened:
        UserMessage(
          .dataInvalid, "nothing but its password protects the backup\(place)",
          hint: "anybody who can write to its folder may have planted it; if you know that it is "
            + "yours, add --unhardened")
      case .outOfMemory:
        UserMessage(
          .io, "there is not enough memory to derive the key\(place)",
          hint: "close other programs and run it again")
      case .unsupported(let part):
        UserMessage(
          .dataInvalid, "\(part)\(place) is of a kind that cannot be read",
          hint: "a newer keybackup may know it")
      case .tooLarge(let part, let limit):
        UserMessage(
          .dataInvalid, "\(part)\(place) is over the limit of \(limit)",
          hint: "check that it is the right file")
      case .wrongSecret(let part):
        UserMessage(
          .wrongKey, "\(part) does not open this backup\(place)",
          hint: "check each secret; a file that was changed looks the same")
      case .secretForm(let part, let form):
        UserMessage(.dataInvalid, "\(part) has to be \(form)", hint: "type or copy it again")
      case .refused(let part, let advice):
        UserMessage(.dataInvalid, "\(part)\(place) cannot be taken", hint: advice)
      case .busy(let part):
        UserMessage(
          .incomplete, word: "busy", "another program is using \(part)\(place)",
          hint: "close it and run this again")
      case .unusable(let part, let reason):
        UserMessage(
          .io, "\(part)\(place) cannot be used: \(reason)",
          hint: "check permissions and free memory, and run it again")
      case .libraryMissing(let name, let package):
        UserMessage(
          .noAuthenticator, word: "library-missing",
          "\(name) is needed for this and is not installed",
          hint: "run: sudo apt install \(package)")
      }
  }
}
