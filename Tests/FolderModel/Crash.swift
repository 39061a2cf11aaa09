import CFileChanges

/// A crash of this thread's program at one of its changes of files.
enum Crash {
  /// Runs `body` as a program that is killed just before its change number
  /// `change`, counted from 0; `nil`: it lives.
  ///
  /// - Returns: what `body` gave, and whether the program was killed: what it
  ///   gave has then reached nobody.
  static func at<Result>(_ change: Int?, _ body: () -> Result) -> (result: Result, killed: Bool) {
    file_changes_begin(change ?? -1)
    let result = body()
    let killed = hasHappened
    _ = file_changes_end()
    return (result, killed)
  }

  /// Whether this thread's program has been killed: nothing reaches the disk
  /// any more.
  static var hasHappened: Bool { file_changes_crashed() != 0 }
}
