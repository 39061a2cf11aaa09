/// Edits a good key's answers as an input says.
///
/// So an input need not guess what the key agreement hides from it.
final class AnswerEditor: @unchecked Sendable {
  // `@unchecked Sendable`: one thread does everything.

  /// What to do with the message that carries an answer.
  enum Delivery {
    case asItIs
    case silence
    case twice
    /// This many keepalives before it.
    case keepalives(Int)
    /// Without its last packet.
    case cutOff
    /// With this length in its first packet.
    case length(Int)
    /// With one byte of one packet changed.
    case change(packet: Int, offset: Int, by: UInt8)
    /// These packets, or pieces, in place of it.
    case raw([[UInt8]])
  }

  private let key: any AnsweringKey
  private var input: InputReader

  init(_ key: any AnsweringKey, _ input: InputReader) {
    self.key = key
    self.input = input
  }

  /// The answer to a request, and how it arrives.
  func answer(to request: [UInt8]) -> ([UInt8], [Delivery]) {
    edited(key.respond(to: request))
  }

  /// An answer as the input edits it.
  func edited(_ truth: [UInt8]?) -> ([UInt8], [Delivery]) {
    var answer = truth
    var deliveries: [Delivery] = answer == nil ? [.silence] : []
    var operation: UInt8
    repeat {
      operation = input.byte()
      var bytes = answer ?? []
      if let delivery = edit(operation & 0x7F, &bytes) { deliveries.append(delivery) }
      answer = bytes
      // The highest bit: the input edits this answer further.
    } while operation & 0x80 != 0 && !input.isAtEnd
    return (answer ?? [], deliveries)
  }

  private func edit(_ operation: UInt8, _ answer: inout [UInt8]) -> Delivery? {
    switch operation % 18 {
    case 1: answer = input.take(input.word() % 2048)
    case 2: answer = [0] + input.take(Int(input.byte()))
    case 3:
      let place = input.word() % (answer.count + 1)
      let end = min(answer.count, place + Int(input.byte()))
      answer.replaceSubrange(place..<end, with: input.take(Int(input.byte())))
    case 4: replaceItem(&answer, with: input.take(Int(input.byte())))
    case 5:
      // A byte string of another length, or other bytes in one.
      let content = input.take(Int(input.byte()))
      replaceItem(&answer, with: CBORItems.head(2, content.count) + content)
    case 6: changeWithinItem(&answer)
    case 7: answer = [input.byte()]
    case 8: answer.removeLast(min(answer.count, input.word() % 2048))
    case 9: answer += input.take(Int(input.byte()))
    case 10 where answer.count < 16384:
      answer += [UInt8](repeating: input.byte(), count: input.word() % 8192)
    case 11: return .silence
    case 12: return .twice
    case 13: return .keepalives(Int(input.byte() % 8))
    case 14: return .cutOff
    case 15: return .length(input.word())
    case 16:
      return .change(
        packet: Int(input.byte() % 16), offset: Int(input.byte() % 64), by: input.byte())
    case 17: return .raw((0...input.byte() % 4).map { _ in input.take(64) })
    default: break
    }
    return nil
  }

  private func replaceItem(_ answer: inout [UInt8], with item: [UInt8]) {
    guard let range = chosenItem(answer) else { return }
    answer.replaceSubrange(range, with: item)
  }

  private func changeWithinItem(_ answer: inout [UInt8]) {
    guard let range = chosenItem(answer) else { return }
    let place = range.lowerBound + Int(input.byte()) % range.count
    answer[place] ^= input.byte()
  }

  private func chosenItem(_ answer: [UInt8]) -> Range<Int>? {
    let items = CBORItems.ranges(in: answer, from: 1)
    let choice = Int(input.byte())
    return items.isEmpty ? nil : items[choice % items.count]
  }
}
