import CFileChanges

/// A crash of this thread's program at one of its file changes.
enum Crash {
  /// Runs `body` as a program that is killed just before file change number `change`, counted from
  /// 0; `nil` lets it live.
  ///
  /// - Returns: the result of `body`, and whether the program was killed. In that case nobody has
  ///   received the result.
  static func at<Result>(_ change: Int?, _ body: () -> Result) -> (result: Result, killed: Bool) {
    file_changes_begin(change ?? -1)
    let result = body()
    let killed = hasHappened
    _ = file_changes_end()
    return (result, killed)
  }

  /// Whether this thread's program has been killed, so that nothing reaches the disk any more.
  static var hasHappened: Bool { file_changes_crashed() != 0 }
}
