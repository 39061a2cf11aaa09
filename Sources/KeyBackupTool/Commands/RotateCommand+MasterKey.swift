extension RotateCommand {
  /// `keybackup rotate --master-key`.
  func rotateMasterKey(_ world: World) async throws(UserMessage) -> ExitCode {
    throw UserMessage(
      .usage, "this version cannot rotate the master key", hint: "a newer keybackup can")
  }
}
