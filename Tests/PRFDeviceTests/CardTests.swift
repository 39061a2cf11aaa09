import Synchronization
import Testing

@testable import PRFDevice

/// A card that answers with a closure, and records what it was sent.
private final class ScriptedCard: CardChannel {
  private let sent = Mutex<[[UInt8]]>([])
  private let answer: @Sendable ([UInt8], Int) -> [UInt8]

  /// - Parameter answer: the answer to a piece, given how many came before it.
  init(_ answer: @escaping @Sendable (_ piece: [UInt8], _ before: Int) -> [UInt8]) {
    self.answer = answer
  }

  var pieces: [[UInt8]] { sent.withLock { $0 } }

  func transmit(_ piece: [UInt8]) throws(CardFailure) -> [UInt8] {
    answer(
      piece,
      sent.withLock {
        $0.append(piece)
        return $0.count - 1
      })
  }
}

/// Messages to a card and back, without a card.
@Suite struct CardTests {
  private static func soon(_ duration: Duration = .seconds(20)) -> MonotonicTime {
    MonotonicTime.now().advanced(by: duration)
  }

  private static func command(_ count: Int) -> CommandAPDU {
    CommandAPDU(
      instructionClass: 0x80, instruction: 0x10, parameter1: 0x80,
      data: (0..<count).map { UInt8(truncatingIfNeeded: $0) })
  }

  @Test(arguments: [0, 1, 239, 240, 241, 480, 481, 1200])
  func `A command is cut into pieces that a short APDU holds`(count: Int) {
    let command = Self.command(count)
    let pieces = command.pieces
    #expect(pieces.count == max(1, (count + 239) / 240))
    var data: [UInt8] = []
    for (index, piece) in pieces.enumerated() {
      let isLast = index == pieces.count - 1
      #expect(piece[0] == (isLast ? 0x80 : 0x90))
      #expect(Array(piece[1..<4]) == [0x10, 0x80, 0x00])
      // Length and data, and at the end how much answer fits.
      let body = piece.dropFirst(4).dropLast(isLast ? 1 : 0)
      if isLast { #expect(piece.last == 0) }
      if count > 0 {
        #expect(body.first.map(Int.init) == body.count - 1)
        data += body.dropFirst()
      }
    }
    #expect(data == command.data)
  }

  @Test func `Select names the applet and understands both answers`() throws {
    for (text, version) in [("U2F_V2", FIDOApplet.Version.u2f), ("FIDO_2_0", .fido2)] {
      let card = ScriptedCard { _, _ in Array(text.utf8) + [0x90, 0x00] }
      #expect(try FIDOApplet(card).select() == version)
      #expect(card.pieces == [[0, 0xA4, 4, 0, 8, 0xA0, 0, 0, 6, 0x47, 0x2F, 0, 1, 0]])
    }
  }

  @Test(arguments: [
    [0x6A, 0x82], [0x6D, 0x00], [0x90, 0x00], Array("OTHER".utf8) + [0x90, 0x00],
  ])
  func `A card without the applet has no version`(answer: [UInt8]) throws {
    #expect(try FIDOApplet(ScriptedCard { _, _ in answer }).select() == nil)
  }

  @Test(arguments: [1, 7, 16, 255, 256])
  func `An answer is put together from its pieces`(size: Int) throws {
    let whole = (0..<600).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let card = ScriptedCard { _, before in
      let rest = whole.dropFirst(before * size)
      let left = rest.count - size
      return rest.prefix(size)
        + (left > 0 ? [0x61, UInt8(left > 255 ? 0 : left)] : [0x90, 0x00])
    }
    #expect(try FIDOApplet(card).send([4], until: Self.soon()) == whole)
    #expect(card.pieces.dropFirst().allSatisfy { $0.prefix(4) == [0, 0xC0, 0, 0] })
  }

  @Test func `A wrong length is asked for again`() throws {
    let card = ScriptedCard { piece, _ in
      switch piece {
      case [0, 0xC0, 0, 0, 0]: [0x6C, 2]
      case [0, 0xC0, 0, 0, 2]: [8, 9, 0x90, 0x00]
      default: [7, 0x61, 0x00]
      }
    }
    #expect(try FIDOApplet(card).send([4], until: Self.soon()) == [7, 8, 9])
  }

  @Test func `A waiting card is asked until it has its answer`() throws {
    let card = ScriptedCard { _, before in before < 3 ? [2, 0x91, 0x00] : [0, 0x90, 0x00] }
    #expect(try FIDOApplet(card).send([4], until: Self.soon()) == [0])
    #expect(card.pieces.dropFirst() == ArraySlice(repeating: [0x80, 0x11, 0, 0, 0], count: 3))
  }

  @Test func `A cancellation reaches a waiting card`() throws {
    let applet = Mutex<FIDOApplet?>(nil)
    let card = ScriptedCard { piece, _ in
      if piece[1] == 0x11, piece[2] == 0x11 { return [0x2D, 0x90, 0x00] }
      applet.withLock { $0 }?.cancel()
      return [2, 0x91, 0x00]
    }
    applet.withLock { $0 = FIDOApplet(card) }
    let waiting = try #require(applet.withLock { $0 })
    #expect(try waiting.send([4], until: Self.soon()) == [0x2D])
  }

  @Test func `A card that waits for ever is told to stop`() {
    let card = ScriptedCard { _, _ in [1, 0x91, 0x00] }
    #expect(throws: CardFailure.timeout) {
      try FIDOApplet(card).send([4], until: Self.soon(.milliseconds(200)))
    }
    #expect(card.pieces.last == [0x80, 0x11, 0x11, 0, 0])
  }

  /// Answers that would never end, or that are none.
  @Test(arguments: [
    [], [0x90], [0x61, 0x00], [0x61, 0x10],
    [UInt8](repeating: 1, count: 1) + [0x61, 0x00],
    [UInt8](repeating: 1, count: 256) + [0x61, 0x00],
  ])
  func `A hostile answer is refused after bounded work`(answer: [UInt8]) {
    let card = ScriptedCard { _, _ in answer }
    #expect(throws: CardFailure.malformed) { try FIDOApplet(card).send([4], until: Self.soon()) }
    #expect(card.pieces.count <= FIDOApplet.maximumPieces + 2)
  }

  @Test func `A refused piece ends a command`() {
    let card = ScriptedCard { _, before in before == 1 ? [0x68, 0x84] : [0x90, 0x00] }
    #expect(throws: CardFailure.refused(StatusWord(value: 0x6884))) {
      try FIDOApplet(card).send([UInt8](repeating: 1, count: 700), until: Self.soon())
    }
    #expect(card.pieces.count == 2)
  }

  @Test func `A reader at USB says where it is plugged in`() throws {
    let address = try #require(USBAddress(channel: 0x0020_0107))
    #expect((address.bus, address.device) == (1, 7))
    #expect(address == USBAddress(bus: Array("1\n".utf8), device: Array("7\n".utf8)))
    #expect(USBAddress(channel: 0x0001_0107) == nil)
    #expect(USBAddress(bus: [], device: []) == nil)
  }
}
