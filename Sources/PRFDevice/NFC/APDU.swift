/// A command to a card (ISO 7816-4), with an answer expected.
struct CommandAPDU: Equatable {
  var instructionClass: UInt8
  var instruction: UInt8
  var parameter1: UInt8 = 0
  var parameter2: UInt8 = 0
  var data: [UInt8] = []
  /// The number of answer bytes expected, 0 for up to 256.
  var expected: UInt8 = 0

  /// The bytes of data in one piece: some readers cannot take the full 255.
  static let pieceSize = 240

  /// The command in short form, in as many pieces as its data needs.
  ///
  /// This is command chaining (ISO 7816-4, 5.3.3), which every FIDO card supports, unlike the
  /// extended form. Only the last piece is answered with data.
  var pieces: [[UInt8]] {
    var pieces: [[UInt8]] = []
    var rest = data[...]
    repeat {
      let part = rest.prefix(Self.pieceSize)
      rest = rest.dropFirst(Self.pieceSize)
      let header = [
        rest.isEmpty ? instructionClass : instructionClass | 0x10, instruction, parameter1,
        parameter2,
      ]
      let body = part.isEmpty ? [] : [UInt8(part.count)] + part
      pieces.append(header + body + (rest.isEmpty ? [expected] : []))
    } while !rest.isEmpty
    return pieces
  }
}

/// The two bytes that end every answer of a card (ISO 7816-4, 5.6).
package struct StatusWord: Equatable, Sendable {
  let value: UInt16

  static let success = StatusWord(value: 0x9000)
  /// The card is still working or waits for the user (CTAP 2.1, 11.3.7).
  static let update = StatusWord(value: 0x9100)

  private var first: UInt8 { UInt8(value >> 8) }
  private var second: UInt8 { UInt8(value & 0xFF) }

  /// The number of bytes left for GET RESPONSE, 0 for 256 or more.
  var bytesLeft: UInt8? { first == 0x61 ? second : nil }

  /// The length that the command should have requested.
  var rightLength: UInt8? { first == 0x6C ? second : nil }
}

/// A card's answer to one piece.
struct ResponseAPDU: Equatable {
  var data: [UInt8]
  var status: StatusWord

  /// - Parameter bytes: the reader's bytes; fewer than two give `nil`.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 2 else { return nil }
    data = Array(bytes.dropLast(2))
    status = StatusWord(value: UInt16(bytes[bytes.count - 2]) << 8 | UInt16(bytes[bytes.count - 1]))
  }
}
