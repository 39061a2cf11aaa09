package import ArgumentParser

/// A subcommand that does work.
package protocol KeyBackupCommand: ParsableArguments, Sendable {
  /// Runs the command.
  ///
  /// - Parameter world: what surrounds the process.
  /// - Returns: the exit code, when the work was done or was done in part.
  /// - Throws: ``UserMessage`` and nothing else.
  func run(in world: World) async throws(UserMessage) -> ExitReason
}

/// A command that waits for days, and uses no processor time meanwhile.
///
/// It runs on a ``TaskThread``. It starts no other task, and waits on descriptors.
package protocol LastingCommand: KeyBackupCommand {}
