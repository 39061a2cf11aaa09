import PRFDevice

/// Gives the edited answers as a FIDO card does: in pieces with status words.
final class EditedCard: CardChannel, @unchecked Sendable {
  // `@unchecked Sendable`: one thread does everything.
  private let editor: AnswerEditor
  private var request: [UInt8] = []
  private var rest: [UInt8] = []
  /// Pieces to send instead, whatever the request.
  private var queue: [[UInt8]] = []
  private let onOpen: () -> Void
  private var count = 0

  init(_ editor: AnswerEditor, onOpen: @escaping () -> Void) {
    self.editor = editor
    self.onOpen = onOpen
  }

  func transmit(_ piece: [UInt8]) throws(CardFailure) -> [UInt8] {
    onOpen()
    count += 1
    // Only the deadline ends a card that never stops answering, and no time passes here.
    guard count < 3000 else { throw .timeout }
    if !queue.isEmpty { return queue.removeFirst() }
    guard piece.count >= 5 else { return [0x67, 0x00] }
    let data = piece.count > 5 ? Array(piece[5..<min(piece.count, 5 + Int(piece[4]))]) : []
    switch piece[1] {
    case 0xA4: return send(editor.edited(Array("FIDO_2_0".utf8)))
    case 0xC0: return next(Int(piece[4]))
    case 0x10:
      request += data
      if piece[0] & 0x10 != 0 { return [0x90, 0x00] }
      defer { request = [] }
      return send(editor.answer(to: request))
    case 0x11: return next(256)
    default: return [0x6D, 0x00]
    }
  }

  private func send(_ edited: ([UInt8], [AnswerEditor.Delivery])) -> [UInt8] {
    rest = edited.0
    for delivery in edited.1 {
      switch delivery {
      case .silence: return [0x6F, 0x00]
      case .twice where rest.count < 16384: rest += rest
      case .keepalives(let count): queue += Array(repeating: [0x91, 0x00], count: count)
      case .cutOff: rest.removeLast(min(rest.count, 20))
      case .length(let status):
        return rest.prefix(200) + [UInt8(status >> 8), UInt8(status & 0xFF)]
      case .change(_, let offset, let value):
        return rest.prefix(offset) + [0x61 ^ value, UInt8(truncatingIfNeeded: offset)]
      case .raw(let raw): queue += raw
      case .asItIs, .twice: break
      }
    }
    return queue.isEmpty ? next(256) : queue.removeFirst()
  }

  private func next(_ length: Int) -> [UInt8] {
    let piece = rest.prefix(length == 0 ? 256 : length)
    rest = Array(rest.dropFirst(piece.count))
    return piece + (rest.isEmpty ? [0x90, 0x00] : [0x61, UInt8(clamping: min(255, rest.count))])
  }
}
