internal import BackupFolder
internal import CSPP

extension UserMessage {
  /// What a folder error means to a person.
  init(_ error: BackupFolderError) {
    self =
      switch error {
      case .noSuchFolder(let path):
        UserMessage(
          .noInput, "there is no folder at \(path)",
          hint: "is the synced folder mounted? check --folder or KEYBACKUP_FOLDER")
      case .notAFolder(let path):
        UserMessage(
          .noInput, "\(path) is not a folder",
          hint: "name the synced folder itself; inside it, move away what is in the way")
      case .noNamespace(let path):
        UserMessage(
          .noInput, "there is no backup in \(path)",
          hint: "if it should be there, wait until the folder is synchronised; "
            + "keybackup init makes a new one")
      case .severalNamespaces(let ids):
        UserMessage(
          .ambiguous, "the folder holds \(ids.count) backups",
          hint: "name one with --namespace: " + NamespaceID.listed(ids))
      case .namespaceExists(let ids):
        UserMessage(
          .cannotCreate, word: "namespace-exists",
          "the folder holds a backup already: "
            + ids.map(\.description).joined(separator: ", "),
          hint: "keybackup status shows it; to start another one choose another folder")
      case .incomplete(let path):
        UserMessage(
          .incomplete, "\(path) is not completely here yet",
          hint: "wait until the folder is synchronised, then try again")
      case .unreachable(let code, let path):
        UserMessage(
          .incomplete, "\(path) cannot be read now: \(systemText(code))",
          hint: "its sync program, network or disk does not give it: see that it runs and is "
            + "connected, then try again; an error that stays is a failing disk's")
      case .interrupted: .interrupted
      case .permissionDenied(let path):
        UserMessage(
          .permissionDenied, "you may not use \(path)",
          hint: "check the owner and the permissions of the folder")
      case .io(let code, let path):
        UserMessage(
          .io, "\(path): \(systemText(code))", hint: "nothing was lost; try again")
      case .diskFull(let path):
        UserMessage(
          .io, "no space left for \(path)",
          hint: "nothing was lost; free some space and try again")
      case .busy(let path):
        UserMessage(
          .incomplete, word: "busy", "another program is using \(path)",
          hint: "try again in a moment")
      case .wrongKey:
        UserMessage(
          .wrongKey, "this security key opens nothing here",
          hint: "keybackup key list shows which keys do")
      case .dataInvalid(let path, let reason):
        UserMessage(
          .dataInvalid, "\(path) is damaged: \(reason)",
          hint: "keep the file; an older version from your sync provider may open")
      case .tooLarge(let path, let limit):
        UserMessage(
          .dataInvalid, "\(path) is larger than \(limit) bytes, so it was not read",
          hint: "it was not written by a backup program")
      case .notRegular(let path):
        UserMessage(
          .dataInvalid, "\(path) is no ordinary file, so it was not opened",
          hint: "look at what put it there")
      case .evaluationsDiffer:
        UserMessage(
          .prfUnsupported, "the security key gave two different outputs for one question",
          hint: "nothing was written; this key cannot be used")
      case .noSuchWallet(let id):
        UserMessage(
          .noInput, "no wallet \(id)", hint: "keybackup wallet list shows what is there")
      case .noSuchVersion:
        UserMessage(
          .noInput, "there is no such version of the wallet any more",
          hint: "keybackup conflicts list shows those that are there")
      case .noSuchKeySlot:
        UserMessage(
          .noInput, "there is no such way into the backup",
          hint: "keybackup key list shows those there are")
      case .keySlotRemoved:
        UserMessage(
          .wrongKey, "the way in that opened the backup was removed from it, so it gets no new one",
          hint: "open it with another way in; if this one is to be trusted again, enrol it then: "
            + "keybackup key add")
      case .lastKeySlot:
        UserMessage(
          .usage, "this is the last way into the backup, so it was not removed",
          hint: "without it nobody can open the backup any more; if that is what you want, "
            + "add --last")
      case .opensByRemoved:
        UserMessage(
          .wrongKey, "the way in that is to be removed is the one that opened the backup",
          hint: "open it with another one: that proves that another one works")
      case .envelopeNeedsSecurityKey:
        UserMessage(
          .wrongKey, "the file that other CSPP programs open belongs to the key to be removed",
          hint: "open the backup with another enrolled security key, which then gets that file")
      case .cannotRotate(let obstacle): UserMessage(obstacle)
      case .memoryUnusable(let path, let isNewer):
        UserMessage(
          .dataInvalid,
          isNewer
            ? "a newer keybackup wrote \(path), where this computer remembers what it saw"
            : "\(path), where this computer remembers what it saw, is damaged",
          hint: (isNewer
            ? "update keybackup; or move the file away. "
            : "nothing was written over it; restore still works. Look what damaged it, then move "
              + "it away. ")
            + "Without it this computer does not know what it saw before, until it opens the "
            + "backup again: compare the freshness word with another computer's first")
      case .internalError(let what):
        UserMessage(.internalError, "a fault in keybackup: \(what)")
      }
  }
}
