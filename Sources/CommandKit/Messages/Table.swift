/// Rows of cells, laid out for the width of a terminal.
///
/// No line is longer than the width, and no cell is cut that a person has to copy. If a table
/// is too wide, names are cut first, then columns are left out, the least important first. A last
/// column that takes more than half of the width gets lines of its own.
package struct Table: Sendable {
  /// One column.
  package struct Column: Sendable {
    package let heading: String
    /// Columns of print that are enough; nil: its cells are never cut.
    package var least: Int?
    /// Those with the least number are left out first; nil: it is never left out.
    package var rank: Int?

    package init(_ heading: String, least: Int? = nil, rank: Int? = nil) {
      self.heading = heading
      self.least = least
      self.rank = rank
    }
  }

  package let columns: [Column]
  package let rows: [[String]]

  private static let gap = 2

  package init(columns: [Column], rows: [[String]]) {
    self.columns = columns
    self.rows = rows
  }

  /// The lines, headings first.
  ///
  /// - Parameter width: how many columns there are; nil: as many as it takes.
  /// - Returns: as many for each row as for the headings.
  package func lines(width: Int?) -> [String] {
    var shown = Array(columns.indices)
    guard let width else { return laidOut(shown, natural(shown)) }
    if total(natural(shown)) > width, let last = shown.last, shown.count > 1,
      natural([last])[0] > width / 2
    {
      return withLastBelow(width)
    }
    while true {
      let widths = fitted(shown, width)
      if total(widths) <= width { return laidOut(shown, widths) }
      guard let place = leastImportant(of: shown) else { return withLastBelow(width) }
      shown.remove(at: place)
    }
  }

  /// Each row in two lines.
  private func withLastBelow(_ width: Int) -> [String] {
    guard columns.count > 1 else { return laidOut([0], natural([0])) }
    let first = Table(columns: columns.dropLast(), rows: rows.map { Array($0.dropLast()) })
    let last = [columns.last?.heading ?? ""] + rows.map { $0.last ?? "" }
    return zip(first.lines(width: width), last).flatMap { [$0, "  " + $1] }
  }

  /// How many lines the headings are.
  func headingCount(width: Int?) -> Int {
    max(1, lines(width: width).count / (rows.count + 1))
  }

  private func cell(_ row: Int, _ column: Int) -> String {
    row < 0 ? columns[column].heading : rows[row][column]
  }

  private func natural(_ shown: [Int]) -> [Int] {
    shown.map { column in
      (-1..<rows.count).map { PrintableText.columns(cell($0, column)) }.max() ?? 0
    }
  }

  private func total(_ widths: [Int]) -> Int {
    widths.reduce(0, +) + Self.gap * max(0, widths.count - 1)
  }

  /// The widths, with names cut as far as they may be.
  private func fitted(_ shown: [Int], _ width: Int) -> [Int] {
    var widths = natural(shown)
    for (place, column) in shown.enumerated() {
      guard let least = columns[column].least, total(widths) > width else { continue }
      widths[place] = max(min(least, widths[place]), widths[place] - (total(widths) - width))
    }
    return widths
  }

  /// Of columns that say the same in each row one goes first.
  private func leastImportant(of shown: [Int]) -> Int? {
    let candidates = shown.indices.filter { columns[shown[$0]].rank != nil }
    return candidates.min { one, other in
      func order(_ place: Int) -> (Int, Int) {
        let column = shown[place]
        let isUniform = rows.count > 1 && Set(rows.map { $0[column] }).count == 1
        return (isUniform ? 0 : 1, columns[column].rank ?? 0)
      }
      return order(one) < order(other)
    }
  }

  private func laidOut(_ shown: [Int], _ widths: [Int]) -> [String] {
    (-1..<rows.count).map { row in
      var line = ""
      for (place, column) in shown.enumerated() {
        var text = cell(row, column)
        if columns[column].least != nil, PrintableText.columns(text) > widths[place] {
          text = PrintableText.fitting(text, columns: widths[place])
        }
        line += text
        guard place < shown.count - 1 else { break }
        let padding = widths[place] - PrintableText.columns(text) + Self.gap
        line += String(repeating: " ", count: padding)
      }
      return line
    }
  }
}
