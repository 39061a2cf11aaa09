/// What a caller is told, and asked, while a read blocks: on a network or in
/// a sync program's own file system.
public struct ReadingWatch: Sendable {
  /// Whether to give up at once.
  public var isInterrupted: @Sendable () -> Bool = { false }
  /// A file or folder has been waited for longer than two seconds; its path.
  public var waits: @Sendable (String) -> Void = { _ in }

  /// Nobody is told and nothing interrupts.
  public init() {}
}
