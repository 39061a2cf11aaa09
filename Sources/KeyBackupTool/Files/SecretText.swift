internal import ArgumentParser
internal import SecretMemory

/// The encoding of an output of `derive`.
enum SecretEncoding: String, ExpressibleByArgument, CaseIterable, Sendable {
  case hex
  case base64
  case raw
}

/// Text that contains secrets, built in guarded memory for one write.
struct SecretText: ~Copyable {
  private var writer = SecretWriter()

  /// Adds public text.
  mutating func append(_ text: String) { writer.raw(text) }

  /// Adds a secret that is text.
  mutating func append(text secret: consuming SecretBytes) {
    secret.withBytes { writer.raw($0) }
  }

  /// Adds a secret in an encoding, followed by a line end except after raw bytes.
  mutating func append(_ secret: consuming SecretBytes, as encoding: SecretEncoding) {
    switch encoding {
    case .hex: secret.withBytes { writer.hex($0) }
    case .base64: secret.withBytes { writer.base64($0) }
    case .raw:
      secret.withBytes { writer.raw($0) }
      return
    }
    append("\n")
  }

  /// Adds a secret as hex digits.
  mutating func append(hex secret: consuming SecretBytes) {
    secret.withBytes { writer.hex($0) }
  }

  /// The text; consumes the value.
  consuming func finish() -> SecretBytes { writer.finish() }
}
