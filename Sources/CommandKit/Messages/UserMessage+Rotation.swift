package import BackupFolder
internal import CSPP

extension UserMessage {
  /// Why the master key is not rotated now.
  package init(_ obstacle: RotationObstacle) {
    self =
      switch obstacle {
      case .notWhole:
        UserMessage(
          .incomplete, "the backup is not all here, so its master key was not rotated",
          hint: "wait until the folder is synchronised; to see what is missing: keybackup verify "
            + "--deep")
      case .filesMissing:
        UserMessage(
          .incomplete,
          "some files are not all here, or damaged, so the master key was not rotated",
          hint: "to see which: keybackup verify --deep\n"
            + "what is missing may still come: wait until the folder is synchronised")
      case .changed:
        UserMessage(
          .incomplete, "the backup changed meanwhile, so its master key was not rotated",
          hint: "run the command again")
      case .newerProgram:
        UserMessage(
          .dataInvalid, "a newer keybackup wrote to this backup, so this one does not rotate it",
          hint: "rotate the master key with the newer one")
      case .moved(let id):
        UserMessage(
          .ambiguous, "the master key was rotated already: the new backup is \(id)",
          hint: "run the command again, without --namespace: it then uses the new backup")
      case .unfinished(let id):
        UserMessage(
          .incomplete,
          "an interrupted rotation left \(id), and another computer has written there",
          hint: "finish the rotation with the security key that began it")
      case .onlyCopies(let id):
        UserMessage(
          .incomplete,
          "an interrupted rotation left \(id), and only that has the contents of some files",
          hint: "wait until the folder is synchronised, then try again")
      case .notVerified:
        UserMessage(
          .io, "what was written could not be read back; the backup is as it was",
          hint: "check the disk, then try again")
      }
  }
}

extension UserMessage {
  /// The reason why nothing is written to a backup whose beginning is not here.
  package init(_ missing: MissingStart) {
    switch missing {
    case .rotationSource:
      self.init(
        .incomplete,
        "another computer's rotation made this backup and is not finished, and the backup that it "
          + "followed is not here",
        hint: "wait until the folder is synchronised, then try again")
    case .rotationEnd:
      self.init(
        .incomplete,
        "this is the copy of a rotation that is not finished; the backup that it was made from is in "
          + "charge",
        hint: "run the command again without --namespace\n"
          + "to finish the rotation, where it was begun: keybackup rotate --master-key")
    case .keySlots:
      self.init(
        .incomplete,
        "the history of this backup is not here yet: it lacks every way in",
        hint: "wait until the folder is synchronised, then try again\n"
          + "when nothing more will come, accept that: keybackup status --accept")
    }
  }
}
