/// The caller's callbacks while a read blocks, on a network or in a sync program's own file system.
public struct ReadingWatch: Sendable {
  /// Whether to give up at once.
  public var isInterrupted: @Sendable () -> Bool = { false }
  /// Receives the path of a file or folder that has been waited for longer than two seconds.
  public var waits: @Sendable (String) -> Void = { _ in }

  /// Creates callbacks that report nothing and never interrupt.
  public init() {}
}
