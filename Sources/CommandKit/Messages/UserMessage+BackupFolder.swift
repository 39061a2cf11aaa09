package import BackupFolder
internal import CSPP
internal import CommandSupport

extension UserMessage {
  /// The message for a folder error.
  package init(_ error: BackupFolderError) {
    self =
      switch error {
      case .noSuchFolder(let path):
        UserMessage(
          .noInput, "there is no folder at \(ShellWord.quoted(path))",
          hint: "is the synced folder mounted? check --folder, KEYBACKUP_FOLDER or keybackup.conf")
      case .notAFolder(let path):
        UserMessage(
          .noInput, "\(ShellWord.quoted(path)) is not a folder",
          hint: path.split(separator: "/").contains(FolderLayout.namespaces[...])
            ? "look at what put it there, and move it away" : "name the synced folder itself")
      case .noNamespace(let path):
        UserMessage(
          .noInput, "there is no backup in \(ShellWord.quoted(path))",
          hint: "if it should be there, wait until the folder is synchronised\n"
            + "to open an existing backup, name its folder: keybackup restore --folder PATH --out "
            + "FOLDER --names\n"
            + "to start a new one: keybackup init \(ShellWord.quoted(path))")
      case .severalNamespaces(let ids):
        UserMessage(
          .ambiguous, "the folder holds \(ids.count) backups",
          hint: "name one with --namespace: " + NamespaceID.listed(ids))
      case .namespaceExists(let ids):
        UserMessage(
          .cannotCreate, word: "namespace-exists",
          "the folder holds a backup already: "
            + ids.map(\.description).joined(separator: ", "),
          hint: "to start another one, choose another folder\nto look at it: keybackup status")
      case .incomplete(let path):
        UserMessage(
          .incomplete, "\(ShellWord.quoted(path)) is not completely here yet",
          hint: "wait until the folder is synchronised, then try again")
      case .unreachable(let code, let path):
        UserMessage(
          .incomplete, "\(ShellWord.quoted(path)) cannot be read now: \(systemText(code))",
          hint: "check that the sync program, the network and the disk work, then try again; if "
            + "the error stays, the disk may be failing")
      case .interrupted: .interrupted
      case .permissionDenied(let path):
        UserMessage(
          .permissionDenied, "you may not use \(ShellWord.quoted(path))",
          hint: "check the owner and the permissions of the folder")
      case .io(let code, let path):
        UserMessage(
          .io, "\(ShellWord.quoted(path)): \(systemText(code))", hint: "nothing was lost; try again"
        )
      case .diskFull(let path):
        UserMessage(
          .io, "no space left for \(ShellWord.quoted(path))",
          hint: "nothing was lost; free some space and try again")
      case .busy(let path):
        UserMessage(
          .incomplete, word: "busy", "another program is using \(ShellWord.quoted(path))",
          hint: "try again in a moment")
      case .wrongKey:
        UserMessage(
          .wrongKey, "this security key does not open this backup",
          hint: "to see which keys do: keybackup key list")
      case .dataInvalid(let path, let reason):
        UserMessage(
          .dataInvalid, "\(ShellWord.quoted(path)) is damaged: \(reason)",
          hint: "keep the file; your sync provider may have an older version that opens")
      case .tooLarge(FolderLayout.sealedFolder, let limit):
        UserMessage(
          .dataInvalid, "this is larger than \(limit) bytes, so it cannot be added without a touch",
          hint: "with your security key, add --with-key")
      case .tooLarge(FolderLayout.objectFolder, _):
        UserMessage(
          .dataInvalid, "the file is larger than 1 TiB, so it was not added",
          hint:
            "for files of that size use a backup program such as restic; keybackup derive gives it "
            + "its password")
      case .tooLarge(let folder, let limit)
      where [FolderLayout.walletFolder, FolderLayout.logFolder].contains(folder):
        UserMessage(
          .dataInvalid, "this is larger than \(limit) bytes, so it was not added",
          hint: "add fewer or shorter labels")
      case .tooLarge(let path, let limit):
        UserMessage(
          .dataInvalid,
          "\(ShellWord.quoted(path)) is larger than \(limit) bytes, so it was not read",
          hint: "it was not written by a backup program")
      case .notRegular(let path):
        UserMessage(
          .dataInvalid, "\(ShellWord.quoted(path)) is no ordinary file, so it was not opened",
          hint: "find out what put it there")
      case .evaluationsDiffer:
        UserMessage(
          .prfUnsupported, "the security key gave two different outputs for one question",
          hint: "nothing was written; this key cannot be used")
      case .noSuchWallet(let id):
        UserMessage(
          .noInput, "there is no wallet \(id)", hint: "to see what is there: keybackup wallet list")
      case .noSuchVersion:
        UserMessage(
          .noInput, "the wallet no longer has this version",
          hint: "to see its versions: keybackup wallet history")
      case .noSuchKeySlot:
        UserMessage(
          .noInput, "there is no such way into the backup",
          hint: "to see the ways in: keybackup key list")
      case .keySlotRemoved:
        UserMessage(
          .wrongKey, "this way in was removed from the backup, so it cannot get a new secret",
          hint: "open the backup with another way in; to trust this one again, then run: keybackup "
            + "key add")
      case .lastKeySlot:
        UserMessage(
          .usage, "this is the last way into the backup, so it was not removed",
          hint: "without it nobody can open the backup, or only while guards help; if that is what "
            + "you want, add --last")
      case .guardsAlone:
        UserMessage(
          .usage, "guards cannot be the only way into a backup, nor replace another kind of way in",
          hint: "to add a security key first: keybackup key add\n"
            + "to make a recovery kit first: keybackup recovery-kit create --out kit.html")
      case .opensByRemoved:
        UserMessage(
          .wrongKey, "you opened the backup with the way in that you want to remove",
          hint: "open it with another one: that proves that another one works")
      case .envelopeNeedsSecurityKey:
        UserMessage(
          .wrongKey, "other programs open this backup with the key that you want to remove",
          hint: "open the backup with another enrolled security key; they then use that one")
      case .cannotRotate(let obstacle): UserMessage(obstacle)
      case .silentWriter(let obstacle): UserMessage(obstacle)
      case .file(let obstacle): UserMessage(obstacle)
      case .memoryUnusable(let path, let isNewer):
        UserMessage(
          .dataInvalid,
          isNewer
            ? "a newer keybackup wrote \(ShellWord.quoted(path)), this computer's memory of the backup"
            : "\(ShellWord.quoted(path)), this computer's memory of the backup, is damaged",
          hint: (isNewer
            ? "update keybackup, or move the file away"
            : "nothing was written over it, and restore still works; find out what damaged it, then "
              + "move it away")
            + "\nwithout it this computer has forgotten what it saw; compare the freshness word with "
            + "another computer's first")
      case .memoryNotAFolder(let path):
        UserMessage(
          .cannotCreate,
          "this computer cannot remember the backup in \(ShellWord.quoted(path)): something else than a "
            + "folder is there",
          hint: "look at what put it there, or name another place with XDG_STATE_HOME")
      case .internalError(let what):
        UserMessage(.internalError, "a fault in keybackup: \(what)")
      }
  }
}
