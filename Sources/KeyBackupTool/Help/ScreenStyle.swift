internal import Glibc

/// How wide the screen is that results go to, and whether it shows bold text.
struct ScreenStyle {
  /// Most characters in a line.
  let width: Int
  /// Whether headings are bold.
  let isBold: Bool
}

extension ScreenStyle {
  /// Looks at the environment, then at standard output.
  init(_ world: World, _ output: Output) {
    let isTerminal = output.resultIsTerminal
    let columns =
      world.variable("COLUMNS").flatMap { Int($0) }
      ?? (isTerminal ? Self.columns(of: output.standardOutput) : nil) ?? 80
    // Longer lines are hard to read; shorter ones have no room for two columns.
    width = min(max(columns, 40), 100)
    isBold =
      isTerminal && world.variable("NO_COLOR") == nil && world.variable("TERM") != "dumb"
  }

  /// The terminal's width; nil where it does not say.
  private static func columns(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return nil
    }
    return Int(size.ws_col)
  }
}
