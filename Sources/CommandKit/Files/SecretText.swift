internal import ArgumentParser
package import SecretMemory

/// The encoding of an output of `derive`.
package enum SecretEncoding: String, ExpressibleByArgument, CaseIterable, Sendable {
  case hex
  case base64
  case raw
}

/// Text that contains secrets, built in guarded memory for one write.
package struct SecretText: ~Copyable {
  private var writer = SecretWriter()

  package init() {}

  /// Adds public text.
  package mutating func append(_ text: String) { writer.raw(text) }

  /// Adds a secret that is text.
  package mutating func append(text secret: consuming SecretBytes) {
    secret.withBytes { writer.raw($0) }
  }

  /// Adds a secret in an encoding, followed by a line end except after raw bytes.
  package mutating func append(_ secret: consuming SecretBytes, as encoding: SecretEncoding) {
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
  package mutating func append(hex secret: consuming SecretBytes) {
    secret.withBytes { writer.hex($0) }
  }

  /// The text; consumes the value.
  package consuming func finish() -> SecretBytes { writer.finish() }
}
