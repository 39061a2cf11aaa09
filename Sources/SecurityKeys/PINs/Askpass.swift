internal import CommandKit
internal import CommandSupport
internal import PRFDevice
internal import SecretMemory

/// An askpass program with OpenSSH's interface.
///
/// The question is its argument, the answer the first line of its output. Any exit code other than
/// 0 is a refusal.
struct Askpass {
  let program: PINProgram

  /// Runs the program once.
  ///
  /// - Parameters:
  ///   - question: the text to show.
  ///   - what: the name of the secret, for messages.
  /// - Returns: the answer without its newline.
  /// - Throws: `denied` when the program ends with another code than 0, `config` when it cannot be
  ///   run, `interrupted`.
  func ask(_ question: String, for what: String) throws(UserMessage) -> SecretBytes {
    var helper = try HelperProgram(
      program.command, [question.trimmingEnd], for: what, namedBy: program.namedBy,
      patience: PINAsker.patience)
    var answer = SecretBytes(zeroed: PINSource.limit)
    var filled = 0
    var overflow = SecretBytes(zeroed: 256)
    reading: while true {
      if filled < answer.count {
        guard case .bytes(let count) = try helper.receive(into: &answer, from: filled)
        else { break reading }
        filled += count
      } else {
        // The answer is already too long: the rest is read and dropped.
        guard case .bytes = try helper.receive(into: &overflow, from: 0) else { break reading }
      }
    }
    guard try helper.succeeded() else {
      throw UserMessage.notGiven(
        what, "by \(ShellWord.quoted(program.command)): it was cancelled or failed")
    }
    answer.resize(to: answer.withBytes { Self.lineLength($0, upTo: filled) })
    return answer
  }

  private static func lineLength(_ bytes: RawSpan, upTo count: Int) -> Int {
    for offset in 0..<count {
      let byte = unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
      if byte == 10 || byte == 13 { return offset }
    }
    return count
  }
}

extension String {
  /// The text without the space after the prompt.
  fileprivate var trimmingEnd: String { hasSuffix(" ") ? String(dropLast()) : self }
}
