internal import ArgumentParser
internal import SecretMemory

/// How `derive` writes an output.
enum SecretEncoding: String, ExpressibleByArgument, CaseIterable, Sendable {
  case hex
  case base64
  case raw
}

/// Text with secrets in it, built in guarded memory for one write.
struct SecretText: ~Copyable {
  private var bytes = SecretBytes(zeroed: 4096)
  private var filled = 0

  /// Adds public text.
  mutating func append(_ text: String) {
    for byte in text.utf8 { append(byte) }
  }

  /// Adds a secret in an encoding; a line end follows, except after raw bytes.
  mutating func append(_ secret: consuming SecretBytes, as encoding: SecretEncoding) {
    switch encoding {
    case .hex: append(hex: secret)
    case .base64: append(base64: secret)
    case .raw:
      append(raw: secret)
      return
    }
    append("\n")
  }

  /// Adds a secret as hex digits.
  mutating func append(hex secret: consuming SecretBytes) {
    secret.withBytes { bytes in
      for offset in bytes.byteOffsets {
        let byte = unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
        append(Self.digit(byte >> 4))
        append(Self.digit(byte & 15))
      }
    }
  }

  private mutating func append(raw secret: consuming SecretBytes) {
    secret.withBytes { bytes in
      for offset in bytes.byteOffsets {
        append(unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
      }
    }
  }

  private mutating func append(base64 secret: consuming SecretBytes) {
    secret.withBytes { bytes in
      for start in stride(from: 0, to: bytes.byteCount, by: 3) {
        var group: UInt32 = 0
        let taken = min(3, bytes.byteCount - start)
        for index in 0..<3 {
          let byte =
            index < taken
            ? unsafe bytes.unsafeLoad(fromByteOffset: start + index, as: UInt8.self) : 0
          group = group << 8 | UInt32(byte)
        }
        for index in 0..<4 {
          append(index <= taken ? Self.sextet(UInt8(group >> (18 - 6 * index) & 63)) : 61)
        }
      }
    }
  }

  /// The text; the value is used up.
  consuming func finish() -> SecretBytes {
    bytes.resize(to: filled)
    return bytes
  }

  private mutating func append(_ byte: UInt8) {
    precondition(filled < bytes.count, "derive's output is at most a few hundred bytes")
    bytes.withMutableBytes { $0.storeBytes(of: byte, toByteOffset: filled, as: UInt8.self) }
    filled += 1
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? value + 48 : value + 87
  }

  private static func sextet(_ value: UInt8) -> UInt8 {
    switch value {
    case 0..<26: value + 65
    case 26..<52: value + 71
    case 52..<62: value - 4
    case 62: 43
    default: 47
    }
  }
}
