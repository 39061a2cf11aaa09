package import BackupFolder

extension FileFinding {
  /// The finding in one line, safe to show: anybody who writes to the synced
  /// folder chooses its files' names.
  package var text: String {
    "\(PrintableText.name(file, limit: 200)): \(PrintableText.name(reason, limit: 200))"
  }
}

extension [FileFinding] {
  /// Files that are not here yet and are still listed one by one.
  private static let listed = 3

  /// Whether something is missing because it may not be read: then it does not come by waiting.
  package var explainAbsence: Bool {
    contains(where: \.isForbidden) && !contains { $0.state == .incomplete }
  }

  /// A line for each, with the word for its state.
  ///
  /// Many files that are not here yet are only counted.
  ///
  /// - Parameter all: list them all the same.
  /// - Returns: a line for each, and perhaps one for the others.
  package func lines(all: Bool) -> [(state: String, text: String)] {
    let awaited = filter { $0.state == .incomplete }
    let count = awaited.reduce(0) { $0 + 1 + $1.further }
    guard !all, count > Self.listed, let first = awaited.first else {
      return map { ($0.state.rawValue, $0.text) }
    }
    return filter { $0.state != .incomplete }.map { ($0.state.rawValue, $0.text) }
      + [
        (
          first.state.rawValue,
          "\(count) files are not here yet, such as \(first.text) (-v lists more)"
        )
      ]
  }
}
