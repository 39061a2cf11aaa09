internal import BackupFolder
internal import CSPP
package import CommandKit

/// A line of text that authorises a computer, as it is shown and read.
enum WriterLine {
  /// The most bytes read from standard input.
  private static let limit = 4096

  /// The line that was given: itself, or what standard input has.
  ///
  /// - Parameters:
  ///   - argument: a line, or `-`.
  ///   - world: standard input.
  /// - Returns: the line.
  /// - Throws: as ``InputFile/read(_:limit:_:)``.
  static func read(_ argument: String, _ world: World) throws(UserMessage) -> String {
    guard argument == "-" else { return argument }
    return String(decoding: try InputFile.read("-", limit: limit, world.streams), as: UTF8.self)
  }

  /// The error where nobody can compare a fingerprint.
  static func nobodyCompares(_ fingerprint: String) -> UserMessage {
    UserMessage(
      .usage, "nobody can be asked whether the other computer shows the fingerprint \(fingerprint)",
      hint: "compare it there. If it is the same, run this again with --yes")
  }

  /// The message about a line that cannot be used.
  ///
  /// - Parameters:
  ///   - mistake: the reason.
  ///   - isRequest: whether it was to be a request; otherwise an answer.
  /// - Returns: the message.
  static func message(_ mistake: AuthorisingLineMistake, isRequest: Bool) -> UserMessage {
    let kind = isRequest ? "a request" : "an answer"
    let again =
      isRequest
      ? "make another one on the other computer: keybackup writers request"
      : "make another one where the backup can be opened: keybackup writers authorise LINE"
    return switch mistake {
    case .otherKind:
      UserMessage(
        .dataInvalid, "this is no line with \(kind)",
        hint:
          "it begins with \(isRequest ? "keybackup-writer1" : "keybackup-inbox1"); copy all of it")
    case .mistyped:
      UserMessage(
        .dataInvalid, "the line was copied wrongly or not completely",
        hint: "copy it again, all of it")
    case .unsupportedVersion:
      UserMessage(
        .dataInvalid, "a newer keybackup made this line", hint: "update keybackup on this computer")
    case .invalid(let part):
      UserMessage(.dataInvalid, "the line holds \(kind) with a wrong part: \(part)", hint: again)
    case .otherRequest:
      UserMessage(
        .dataInvalid, "no request of this computer waits for this answer",
        hint: "it was accepted already, or it answers another request\n" + again)
    }
  }
}

extension Output {
  /// Writes a line for another computer, and how to go on there.
  ///
  /// - Parameters:
  ///   - line: the line. A program reads it alone.
  ///   - next: the command that takes it there.
  ///   - showsPicture: whether to show it as a QR code too.
  /// - Throws: `io`.
  package func result(writerLine line: String, next: String, showsPicture: Bool) throws(UserMessage)
  {
    if showsPicture {
      // Capitals are the same line, and a smaller picture.
      let code = try QRCode(line: line.uppercased())
      if !note(picture: code.terminalLines) {
        warn(
          "keybackup: this terminal cannot show the QR code: it needs \(code.terminalLines.count) lines of "
            + "\(code.terminalLines[0].count) characters, and UTF-8")
      }
    }
    try result(laidOut: line)
    note("Then run on the other computer: keybackup writers \(next) LINE")
  }
}
