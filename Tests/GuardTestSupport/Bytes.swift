public import SecretMemory

/// Bytes in guarded memory.
public func secret(_ bytes: [UInt8]) -> SecretBytes {
  unsafe SecretBytes(copying: bytes.span.bytes)
}

/// The bytes of a secret, for a comparison.
public func array(_ secret: borrowing SecretBytes) -> [UInt8] {
  unsafe secret.withUnsafeBytes { unsafe Array($0) }
}

/// The bytes that lower-case hexadecimal digits stand for; none for another text.
public func unhex(_ digits: String) -> [UInt8] {
  unsafe Hex.decode(Array(digits.utf8).span.bytes) ?? []
}
