internal import ArgumentParser

/// The words that a mistyped one may stand for.
package enum Proposal {
  /// Ends the message that a word is unknown.
  ///
  /// - Parameter words: what may be meant, the nearest first.
  /// - Returns: a sentence with a space before it; nothing where there are no words.
  package static func sentence(_ words: [String]) -> String {
    words.isEmpty ? "" : " Did you mean: " + words.joined(separator: ", ")
  }

  /// The commands that a word may stand for.
  ///
  /// - Parameters:
  ///   - word: what was typed.
  ///   - group: the command below which it was expected.
  /// - Returns: names below the group, such as `wallet` or `wallet add`.
  static func commands(like word: String, in group: any ParsableCommand.Type) -> [String] {
    let near = nearest(word, among: names(below: group))
    if !near.isEmpty { return near }
    // A verb without its noun.
    let slips = word.count > 3 ? 1 : 0
    var found: [String] = []
    for noun in group.configuration.subcommands {
      for verb in names(below: noun) where distance(word, verb) <= slips {
        found.append("\(noun.configuration.commandName ?? "") \(verb)")
      }
    }
    return found.prefixOrNone(4)
  }

  private static func names(below group: any ParsableCommand.Type) -> [String] {
    if let group = group as? any OtherProgramGroup.Type { return group.commands }
    var names: [String] = []
    for command in group.configuration.subcommands {
      if let name = command.configuration.commandName { names.append(name) }
    }
    return names
  }

  /// The nearest words, three at most.
  ///
  /// - Parameters:
  ///   - word: what was typed.
  ///   - names: what it may stand for.
  /// - Returns: those that differ in a letter or two, or begin with it.
  package static func nearest(_ word: String, among names: [String]) -> [String] {
    // Everything is near to a letter or two, but two letters may begin a word.
    guard word.count > 1 else { return [] }
    let limit = word.count > 2 ? min(2, word.count / 3) : 0
    let rated = names.map { (name: $0, distance: distance(word, $0)) }
    let best = rated.map(\.distance).min() ?? .max
    if best <= limit {
      return rated.filter { $0.distance == best }.map(\.name).prefixOrNone(3)
    }
    return names.filter { $0.hasPrefix(word) }.prefixOrNone(3)
  }

  /// How many letters are missing, added, wrong or exchanged with their neighbour.
  package static func distance(_ first: String, _ second: String) -> Int {
    let (a, b) = (Array(first.lowercased().prefix(64)), Array(second.lowercased().prefix(64)))
    var rows = [Array(0...b.count)]
    for i in 1..<(a.count + 1) {
      var row = [i]
      for j in 1..<(b.count + 1) {
        var best = min(
          rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          best = min(best, rows[i - 2][j - 2] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}

extension [String] {
  /// All of them; none where there are so many that they help nobody.
  fileprivate func prefixOrNone(_ limit: Int) -> [String] { count > limit ? [] : self }
}
