import Glibc

/// A card's line to its reader, which the applet needs during a wait.
protocol CardLine: AnyObject {
  /// Waits for the next command; nil after the time.
  func next(withinMilliseconds milliseconds: Int) throws(CommandFailure) -> [UInt8]?

  /// Answers the last command.
  func answer(_ bytes: [UInt8])
}

/// A card with the FIDO applet (CTAP 2.1, section 11.3): commands in, answers out.
///
/// It lasts for one power-up. Data that outlive that are in the `KeyStore`.
final class FIDOCard: UserPresence {
  private let configuration: CardConfiguration
  private let authenticator: Authenticator
  private let trace: Trace
  private unowned let line: any CardLine
  private var isSelected = false
  /// The pieces of a chained command received so far.
  private var chain: [UInt8] = []
  /// The rest of an answer for GET RESPONSE.
  private var rest: ArraySlice<UInt8> = []
  /// Whether the client fetches the answer later (NFCCTAP_GETRESPONSE).
  private var clientWaits = false

  private static let applet: [UInt8] = [0xA0, 0x00, 0x00, 0x06, 0x47, 0x2F, 0x00, 0x01]

  init(_ configuration: CardConfiguration, authenticator: Authenticator, line: any CardLine) {
    self.configuration = configuration
    self.authenticator = authenticator
    self.line = line
    trace = authenticator.trace
    authenticator.presence = self
  }

  /// Answers one command; the answer ends with its status word.
  ///
  /// - Throws: `.unplugged` when the card is removed.
  func respond(to bytes: [UInt8]) throws(CommandFailure) -> [UInt8] {
    guard let command = CardCommand(bytes) else { return [0x67, 0x00] }
    if command.instruction == 0xC0 { return nextPiece(for: command) }
    rest = []
    chain += command.data
    guard chain.count <= 65_535 else { return [0x67, 0x00] }
    if command.isChained { return [0x90, 0x00] }
    let data = chain
    chain = []
    switch (command.instructionClass & ~0x10, command.instruction) {
    case (0x00, 0xA4): return select(data, command)
    case (0x80, 0x10) where isSelected:
      clientWaits = command.parameter1 & 0x80 != 0 && configuration.reportsWaiting
      do throws(CommandFailure) {
        guard let answer = try authenticator.respond(to: data) else { return try silence() }
        rest = answer[...]
        return nextPiece(for: command)
      } catch .aborted {
        // Another command came during the wait; it is answered instead.
        guard let next = interrupter.take() else { return [0x6F, 0x00] }
        return try respond(to: next)
      } catch {
        throw error
      }
    case (0x80, 0x11) where isSelected: return [0x69, 0x85]
    default: return [0x6D, 0x00]
    }
  }

  private func select(_ name: [UInt8], _ command: CardCommand) -> [UInt8] {
    isSelected = configuration.hasApplet && name == Self.applet && command.parameter1 == 0x04
    trace.write(isSelected ? "SELECT" : "SELECT refused")
    guard isSelected else { return [0x6A, 0x82] }
    rest = Array(configuration.selectAnswer.utf8)[...]
    return nextPiece(for: command)
  }

  /// The next piece of the answer, with the size of the rest.
  private func nextPiece(for command: CardCommand) -> [UInt8] {
    guard !rest.isEmpty else { return [0x90, 0x00] }
    let isExtended = command.expected ?? 256 > 256
    let piece = rest.prefix(
      isExtended ? rest.count : min(configuration.pieceSize, command.expected ?? 256))
    rest = rest.dropFirst(piece.count)
    return piece + (rest.isEmpty ? [0x90, 0x00] : [0x61, UInt8(clamping: min(rest.count, 255))])
  }

  /// Never answers, until the card is removed.
  private func silence() throws(CommandFailure) -> [UInt8] {
    while true { _ = try line.next(withinMilliseconds: 1000) }
  }

  // MARK: - Waiting for a touch

  /// The command that ended a wait.
  private var interrupter: [UInt8]?

  func waitForTouch() -> TouchOutcome {
    let configuration = authenticator.configuration
    if let outcome = TouchOutcome(atOnce: configuration.touch) { return outcome }
    trace.write("WAITING")
    let wait = TouchWait(
      for: configuration.touch, limit: configuration.touchTimeoutMilliseconds)
    // "User presence is needed", fetched repeatedly.
    if clientWaits { line.answer([0x02, 0x91, 0x00]) }
    var isOwedAnAnswer = !clientWaits
    while true {
      do throws(CommandFailure) {
        let bytes = try line.next(withinMilliseconds: 20)
        if let bytes {
          let command = CardCommand(bytes)
          guard command?.instructionClass == 0x80, command?.instruction == 0x11 else {
            interrupter = bytes
            return .aborted
          }
          isOwedAnAnswer = true
          if command?.parameter1 == 0x11 {
            trace.write("CANCEL")
            return .cancelled
          }
        }
      } catch {
        return .unplugged
      }
      guard isOwedAnAnswer else { continue }
      if let outcome = wait.outcome { return outcome }
      guard clientWaits else { continue }
      line.answer([0x02, 0x91, 0x00])
      isOwedAnAnswer = false
    }
  }
}
