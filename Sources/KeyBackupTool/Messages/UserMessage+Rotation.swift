internal import BackupFolder
internal import CSPP

extension UserMessage {
  /// Why the master key is not rotated now.
  init(_ obstacle: RotationObstacle) {
    self =
      switch obstacle {
      case .notWhole:
        UserMessage(
          .incomplete, "the backup is not all here, so its master key is not rotated",
          hint: "wait until the folder is synchronised; keybackup verify --deep tells what is "
            + "missing")
      case .newerProgram:
        UserMessage(
          .dataInvalid, "a newer keybackup wrote what this one would leave behind",
          hint: "rotate the master key with that one")
      case .moved(let id):
        UserMessage(
          .ambiguous, "the master key was rotated already: \(id) follows",
          hint: "run the command again, without --namespace: it then uses the backup that is in "
            + "charge, which keybackup status shows")
      case .unfinished(let id):
        UserMessage(
          .incomplete,
          "an interrupted rotation left \(id), and another computer has written there",
          hint: "finish it with the security key that began it")
      case .notVerified:
        UserMessage(
          .io, "what was written did not come back as it should; the backup is as it was",
          hint: "check the disk, then try again")
      }
  }
}
