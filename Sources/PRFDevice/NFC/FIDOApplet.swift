internal import Glibc
internal import Synchronization

/// A channel that carries bytes to a card and back.
package protocol CardChannel: AnyObject, Sendable {
  /// Sends one piece and waits for its answer, without a time limit.
  func transmit(_ piece: [UInt8]) throws(CardFailure) -> [UInt8]
}

/// The reason why a card did not answer.
package enum CardFailure: Error, Equatable {
  /// PC/SC failed with this error code.
  case service(code: Int)
  /// The card refused with this status.
  case refused(StatusWord)
  /// The answer is invalid: too short, too long, or without an end.
  case malformed
  /// The time ended before the last piece.
  case timeout
}

/// The FIDO applet of a card: selects it and carries CTAP messages (CTAP 2.1, section 11.3).
///
/// One thread uses it; ``cancel()`` may come from another thread.
final class FIDOApplet: Sendable {
  /// The version that the applet stated when it was selected.
  enum Version: Equatable {
    /// U2F, and perhaps more, as getInfo tells.
    case u2f
    /// FIDO2 without U2F.
    case fido2
  }

  static let identifier: [UInt8] = [0xA0, 0x00, 0x00, 0x06, 0x47, 0x2F, 0x00, 0x01]
  /// The longest answer assembled from pieces, in bytes: more than a CTAP message over any
  /// transport.
  static let maximumAnswer = 8192
  /// The most pieces of one answer; they may be small but not endless.
  static let maximumPieces = 1024

  private let channel: any CardChannel
  /// The pause before a working card is queried again, in microseconds.
  private let pause: UInt32
  private let isCancelled = Atomic(false)

  init(_ channel: any CardChannel, pause: UInt32 = 50_000) {
    self.channel = channel
    self.pause = pause
  }

  /// Selects the applet.
  ///
  /// - Returns: its version, or `nil` when the card has no such applet.
  func select() throws(CardFailure) -> Version? {
    let command = CommandAPDU(
      instructionClass: 0x00, instruction: 0xA4, parameter1: 0x04, data: Self.identifier)
    do throws(CardFailure) {
      let answer = try exchange(command, until: MonotonicTime.now().advanced(by: .seconds(5)))
      guard answer.status == .success else { return nil }
      if answer.data == Array("U2F_V2".utf8) { return .u2f }
      return answer.data.starts(with: Array("FIDO_".utf8)) ? .fido2 : nil
    } catch .refused {
      return nil
    } catch {
      throw error
    }
  }

  /// Sends a CTAP2 request (command byte and CBOR) and waits for its answer, also while the card
  /// reports that it is working.
  ///
  /// - Returns: status byte and CBOR.
  func send(_ request: [UInt8], until deadline: MonotonicTime) throws(CardFailure) -> [UInt8] {
    isCancelled.store(false, ordering: .relaxed)
    // NFCCTAP_MSG; the first parameter states that we support NFCCTAP_GETRESPONSE.
    var command = CommandAPDU(
      instructionClass: 0x80, instruction: 0x10, parameter1: 0x80, data: request)
    while true {
      let answer = try exchange(command, until: deadline)
      switch answer.status {
      case .success: return answer.data
      case .update: break
      default: throw .refused(answer.status)
      }
      usleep(pause)
      let isLate = MonotonicTime.now() >= deadline
      let isCancelled = isCancelled.exchange(false, ordering: .relaxed)
      // NFCCTAP_GETRESPONSE, or its form that is a CANCEL.
      command = CommandAPDU(
        instructionClass: 0x80, instruction: 0x11, parameter1: isCancelled || isLate ? 0x11 : 0)
      if isLate {
        _ = try exchange(command, until: deadline.advanced(by: .seconds(1)))
        throw .timeout
      }
    }
  }

  /// Sends a U2F command unchanged.
  ///
  /// - Returns: the answer with its status.
  func send(raw command: [UInt8]) throws(CardFailure) -> [UInt8] {
    try channel.transmit(command)
  }

  /// Ends the wait of a card that reports waiting; any other card cannot be interrupted.
  func cancel() {
    isCancelled.store(true, ordering: .relaxed)
  }

  /// Sends one command in all its pieces and assembles its answer.
  private func exchange(
    _ command: CommandAPDU, until deadline: MonotonicTime
  ) throws(CardFailure) -> ResponseAPDU {
    var pieces = command.pieces[...]
    while pieces.count > 1, let piece = pieces.popFirst() {
      let answer = try transmit(piece, until: deadline)
      guard answer.status == .success else { throw .refused(answer.status) }
    }
    var answer = try transmit(pieces.first ?? [], until: deadline)
    var data = answer.data
    var count = 0
    while var length = answer.status.bytesLeft {
      answer = try transmit(getResponse(length), until: deadline)
      if answer.data.isEmpty, let right = answer.status.rightLength {
        length = right
        answer = try transmit(getResponse(length), until: deadline)
      }
      data += answer.data
      count += 1
      guard !answer.data.isEmpty, data.count <= Self.maximumAnswer, count <= Self.maximumPieces
      else { throw .malformed }
    }
    answer.data = data
    return answer
  }

  private func getResponse(_ length: UInt8) -> [UInt8] {
    [0x00, 0xC0, 0x00, 0x00, length]
  }

  private func transmit(
    _ piece: [UInt8], until deadline: MonotonicTime
  ) throws(CardFailure) -> ResponseAPDU {
    guard MonotonicTime.now() < deadline else { throw .timeout }
    guard let answer = ResponseAPDU(try channel.transmit(piece)) else { throw .malformed }
    return answer
  }
}
