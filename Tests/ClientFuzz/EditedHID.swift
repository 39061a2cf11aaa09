import PRFDevice

/// Gives the edited answers as CTAPHID packets.
///
/// A packet that is not there at once never comes.
final class EditedHID: HIDTransport, @unchecked Sendable {
  // `@unchecked Sendable`: one thread does everything.
  private let editor: AnswerEditor
  private var request: [UInt8] = []
  private var length = 0
  private var queue: [[UInt8]] = []
  private let onOpen: () -> Void

  init(_ editor: AnswerEditor, onOpen: @escaping () -> Void) {
    self.editor = editor
    self.onOpen = onOpen
  }

  /// Always false, so that no failure is waited for.
  var isConnected: Bool { false }

  func open() -> Bool {
    onOpen()
    return true
  }

  func close() {}

  func read(into report: inout MutableRawSpan, milliseconds: Int32) -> Bool {
    guard !queue.isEmpty else { return false }
    let next = queue.removeFirst()
    for offset in 0..<64 {
      let byte = offset < next.count ? next[offset] : 0
      report.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
    }
    return true
  }

  func write(_ report: RawSpan) -> Bool {
    let bytes = unsafe report.withUnsafeBytes { unsafe Array($0) }
    guard bytes.count == 64 else { return false }
    if bytes[4] & 0x80 != 0 {
      length = Int(bytes[5]) << 8 | Int(bytes[6])
      request = Array(bytes[7...])
    } else {
      request += bytes[5...]
    }
    guard request.count >= length else { return true }
    let message = Array(request.prefix(length))
    switch bytes[4] & 0x80 == 0 ? 0x90 : bytes[4] {
    case 0x86:
      let (answer, deliveries) = editor.edited(message.prefix(8) + [0, 0, 0, 1, 2, 1, 0, 0, 0x0D])
      send([0xFF, 0xFF, 0xFF, 0xFF], 0x86, answer, deliveries)
    case 0x90:
      let (answer, deliveries) = editor.answer(to: message)
      send([0, 0, 0, 1], 0x90, answer, deliveries)
    default: break
    }
    return true
  }

  private func send(
    _ channel: [UInt8], _ command: UInt8, _ answer: [UInt8], _ deliveries: [AnswerEditor.Delivery]
  ) {
    var packets: [[UInt8]] = []
    var packet = channel + [command, UInt8(answer.count >> 8 & 0xFF), UInt8(answer.count & 0xFF)]
    var rest = answer[...]
    repeat {
      let piece = rest.prefix(64 - packet.count)
      rest = rest.dropFirst(piece.count)
      packet += piece
      packets.append(packet + [UInt8](repeating: 0, count: 64 - packet.count))
      packet = channel + [UInt8((packets.count - 1) & 0x7F)]
    } while !rest.isEmpty
    for delivery in deliveries {
      switch delivery {
      case .asItIs: break
      case .silence: packets = []
      case .twice where packets.count < 256: packets += packets
      case .keepalives(let count):
        let keepalive = channel + [0xBB, 0, 1, 2] + [UInt8](repeating: 0, count: 56)
        packets = Array(repeating: keepalive, count: count) + packets
      case .cutOff: packets = packets.dropLast()
      case .length(let length) where (packets.first?.count ?? 0) >= 7:
        packets[0].replaceSubrange(5..<7, with: [UInt8(length >> 8), UInt8(length & 0xFF)])
      case .change(let index, let offset, let value) where !packets.isEmpty:
        let index = index % packets.count
        if offset < packets[index].count { packets[index][offset] ^= value }
      case .raw(let raw): packets = raw
      default: break
      }
    }
    queue += packets
  }
}
