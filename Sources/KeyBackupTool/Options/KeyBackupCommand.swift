internal import ArgumentParser

/// A subcommand that does work.
protocol KeyBackupCommand: ParsableArguments, Sendable {
  /// Runs the command.
  ///
  /// - Parameter world: what surrounds the process.
  /// - Returns: the exit code, when the work was done or was done in part.
  /// - Throws: ``UserMessage`` and nothing else.
  func run(in world: World) async throws(UserMessage) -> ExitCode
}
