/// Questions whose answer is no secret.
extension Prompter {
  /// Asks for one of several things by number.
  ///
  /// - Parameter choices: what to choose from, one line each.
  /// - Returns: the index of the chosen one; nil without a terminal and at the
  ///   end of input.
  /// - Throws: interrupted.
  package func choice(of choices: [String]) throws(UserMessage) -> Int? {
    guard terminal != nil else { return nil }
    for (index, choice) in choices.enumerated() {
      tell("\(index < 9 ? " " : "") \(index + 1)  \(choice)")
    }
    while true {
      guard let answer = try line("Number (1 to \(choices.count)): ") else { return nil }
      if let number = Int(answer), choices.indices.contains(number - 1) { return number - 1 }
      tell("Type one number from 1 to \(choices.count), then press Enter.")
    }
  }

  /// Asks for a line of text.
  ///
  /// - Returns: it, without white space around; nil without a terminal and at
  ///   the end of input.
  /// - Throws: interrupted.
  package func line(_ question: String) throws(UserMessage) -> String? {
    guard let terminal else { return nil }
    let answer = terminal.readAnswer(prompt: terminal.wrapped(question), limit: 4095)
    if Interruption.received { throw .interrupted }
    return answer.map { $0.trimmed }
  }
}
