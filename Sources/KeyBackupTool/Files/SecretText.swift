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
  private var writer = SecretWriter()

  /// Adds public text.
  mutating func append(_ text: String) { writer.raw(text) }

  /// Adds a secret that is text.
  mutating func append(text secret: consuming SecretBytes) {
    secret.withBytes { writer.raw($0) }
  }

  /// Adds a secret in an encoding; a line end follows, except after raw bytes.
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

  /// The text; the value is used up.
  consuming func finish() -> SecretBytes { writer.finish() }
}
