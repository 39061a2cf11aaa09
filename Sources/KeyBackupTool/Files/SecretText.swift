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
    for byte in text.utf8 {
      let place = grow(by: 1)
      bytes.withMutableBytes { $0.storeBytes(of: byte, toByteOffset: place, as: UInt8.self) }
    }
  }

  /// Adds a secret that is text.
  mutating func append(text secret: consuming SecretBytes) { append(raw: secret) }

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
    let place = grow(by: secret.count * 2)
    unsafe bytes.withUnsafeMutableBytes { target in
      let room = unsafe UnsafeMutableRawBufferPointer(rebasing: target[place...])
      secret.withBytes { unsafe Hex.encode($0, into: room) }
    }
  }

  private mutating func append(base64 secret: consuming SecretBytes) {
    let place = grow(by: Base64.encodedSize(secret.count, .standard))
    unsafe bytes.withUnsafeMutableBytes { target in
      let room = unsafe UnsafeMutableRawBufferPointer(rebasing: target[place...])
      secret.withBytes { unsafe Base64.encode($0, .standard, into: room) }
    }
  }

  private mutating func append(raw secret: consuming SecretBytes) {
    let place = grow(by: secret.count)
    unsafe bytes.withUnsafeMutableBytes { target in
      let room = unsafe UnsafeMutableRawBufferPointer(rebasing: target[place...])
      unsafe secret.withUnsafeBytes { unsafe room.copyMemory(from: $0) }
    }
  }

  /// The text; the value is used up.
  consuming func finish() -> SecretBytes {
    bytes.resize(to: filled)
    return bytes
  }

  /// Makes room, and says where it begins.
  private mutating func grow(by count: Int) -> Int {
    precondition(filled + count <= bytes.count, "derive's output is at most a few hundred bytes")
    defer { filled += count }
    return filled
  }
}
