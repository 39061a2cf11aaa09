package import BackupFolder
package import CSPP
internal import CommandSupport

extension UserMessage {
  /// A signal ended a restore.
  ///
  /// - Parameters:
  ///   - wallets: how many are in the folder of the restore, each of them whole.
  ///   - files: how many are.
  ///   - out: that folder.
  /// - Returns: how much is there, and how to go on.
  package static func interrupted(wallets: Int, files: Int, in out: String) -> UserMessage {
    let parts = [(wallets, "wallet"), (files, "file")].filter { $0.0 > 0 }
    if parts.isEmpty { return .interrupted }
    let there = parts.map { counted($0.0, $0.1) }.joined(separator: " and ")
    return UserMessage(
      .interrupted,
      "interrupted; \(there) \(wallets + files == 1 ? "is" : "are") in \(ShellWord.quoted(out))",
      hint: "for the others, run the command once more: what is there stays")
  }

  /// Why a computer that writes without a touch cannot be used.
  package init(_ obstacle: SilentWriterObstacle) {
    self =
      switch obstacle {
      case .line(.otherRequest), .noRequest:
        UserMessage(
          .dataInvalid, "this answer is for another request",
          hint: "to make a new request: keybackup writers request")
      case .line(.unsupportedVersion):
        UserMessage(
          .dataInvalid, "a newer keybackup made this line", hint: "update keybackup here")
      case .line(let mistake):
        UserMessage(
          .dataInvalid, "this line is not right: \(mistake)", hint: "copy it again, all of it")
      case .alreadyAuthorised:
        UserMessage(
          .cannotCreate, "that computer is authorised already",
          hint: "to see the computers: keybackup writers list\n"
            + "to let it do more, or if an older disk was put back there, run there: keybackup writers "
            + "request --new-key")
      case .retired:
        UserMessage(
          .cannotCreate, "that computer was retired, and its key never returns",
          hint:
            "on that computer, make a request with a new key: keybackup writers request --new-key")
      case .writerIDUsed:
        UserMessage(
          .cannotCreate, "this request was used already",
          hint: "on that computer, make a new request: keybackup writers request")
      case .noSuchWriter:
        UserMessage(
          .noInput, "there is no such computer",
          hint: "to see the computers: keybackup writers list")
      case .notAccepted:
        UserMessage(
          .noInput, "this computer is not authorised yet",
          hint: "with the answer to this computer's request, run: keybackup writers accept LINE")
      case .notPermitted:
        UserMessage(
          .noInput, "this computer may not write such changes",
          hint: "to see what it may: keybackup writers list")
      case .walletAdded:
        UserMessage(
          .cannotCreate, "this computer has added a wallet with this ID already",
          hint: "leave out --id for a new one")
      case .noNamespace(let id):
        UserMessage(
          .incomplete, "the backup \(id) is not in this folder",
          hint: "wait until the folder is synchronised, then try again")
      }
  }

  /// The error about a computer that writes without a touch, where nothing shows that it may.
  ///
  /// What it wrote is there, and counts once the change is.
  package static func notCounting(in backup: NamespaceID?) -> UserMessage {
    UserMessage(
      .incomplete,
      "the change that authorised this computer is not in the backup"
        + (backup.map { " \($0)" } ?? "") + ", and without it nothing that is written here counts",
      hint: "wait until the folder is synchronised, then try again\n"
        + "if the master key was rotated, authorise this computer again: keybackup writers request")
  }

  /// Why a file cannot be read or changed.
  package init(_ obstacle: FileObstacle) {
    self =
      switch obstacle {
      case .noSuchFile:
        UserMessage(
          .noInput, "there is no such file in the backup",
          hint: "to see the files: keybackup file list")
      case .noSuchVersion:
        UserMessage(
          .noInput, "the file has no such version",
          hint: "to see its versions: keybackup file history")
      case .changedWhileReading:
        UserMessage(
          .incomplete, "the file changed while it was read",
          hint: "nothing was written; try again when its program is quiet")
      case .contentsMissing:
        UserMessage(
          .incomplete, "the contents of this version are not here",
          hint: "wait until the folder is synchronised, then try again")
      case .contentsIncomplete:
        UserMessage(
          .incomplete, "the contents of this version are not all here yet",
          hint: "wait until the folder is synchronised, then try again")
      case .contentsDamaged:
        UserMessage(
          .dataInvalid, "the contents of this version are damaged",
          hint: "your sync provider may have an older version of the file in keybackup/objects")
      case .lateContentsDamaged:
        UserMessage(
          .dataInvalid, "the contents of a version of this file that was written late are damaged",
          hint:
            "your sync provider may have an older version of the file in keybackup/objects of the "
            + "earlier backup")
      case .historyIncomplete:
        UserMessage(
          .incomplete, "some changes of this file, or of its computer, are not here yet",
          hint: "wait until the folder is synchronised, then try again")
      }
  }
}
