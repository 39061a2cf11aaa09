internal import Glibc

/// The abilities of a stream: how many columns, and whether bold print.
package struct Screen: Sendable, Equatable {
  /// Columns; nil: lines may be as long as they are.
  package var width: Int?
  /// Whether bold print shows.
  package var showsBold = false

  /// Columns of a terminal that does not tell.
  private static let usual = 80
  /// No text is pressed into fewer.
  private static let least = 40

  package init(width: Int? = nil, showsBold: Bool = false) {
    self.width = width
    self.showsBold = showsBold
  }

  /// - Parameters:
  ///   - descriptor: of the stream.
  ///   - streams: the others, which may be the same terminal.
  ///   - environment: the variables.
  package init(_ descriptor: Int32, _ streams: Streams, _ environment: [String: String]) {
    func variable(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    let isTerminal = isatty(descriptor) == 1
    // As ls and Python take it: COLUMNS also where there is no terminal.
    if let given = variable("COLUMNS").flatMap({ Int($0) }), given > 0 {
      width = max(Self.least, given)
    } else if isTerminal {
      // The person's terminal, under whichever of its names it tells its size.
      let told = [descriptor, streams.error, streams.output].lazy.compactMap(Self.columns).first
      width = max(Self.least, told ?? Self.usual)
    }
    showsBold =
      isTerminal && variable("NO_COLOR") == nil
      && !["dumb", nil].contains(variable("TERM"))
  }

  /// The text in bold print, where that shows.
  func bold(_ text: String) -> String { showsBold ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

  /// The lines of a text, as wide as they may be.
  package func lines(_ text: String, hanging: Int? = nil) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
      Wrapping.lines(String($0), width: width, hanging: hanging)
    }
  }

  /// The same, with the word that a line begins with in bold print.
  package func told(_ text: String) -> String {
    lines(text).map { line in
      for word in Self.words where line.hasPrefix(word + " ") {
        return bold(word) + line.dropFirst(word.count)
      }
      return line
    }.joined(separator: "\n")
  }

  /// Words that say what a line is.
  private static let words = ["keybackup:", "hint:", "warning:", "Attention:"]

  private static func columns(_ descriptor: Int32) -> Int? {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return nil
    }
    return Int(size.ws_col)
  }
}
