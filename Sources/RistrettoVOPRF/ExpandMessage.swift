/// `expand_message_xmd` with SHA-512 (RFC 9380, section 5.3.1), for 64 bytes: one block of output,
/// which is all that this suite asks for.
enum ExpandMessage {
  static let size = 64
  /// The bytes that SHA-512 takes at once, as zeroes before the message.
  private static let blockSize = 128

  /// Expands a message.
  ///
  /// - Parameters:
  ///   - domain: the domain separation tag, 1 to 255 bytes.
  ///   - output: receives 64 bytes.
  ///   - message: adds the pieces of the message.
  static func expand(
    domain: [UInt8], into output: UnsafeMutablePointer<UInt8>,
    message: (inout SHA512) -> Void
  ) {
    precondition((1...255).contains(domain.count), "a tag of RFC 9380")
    let tag = domain + [UInt8(domain.count)]
    var first = SHA512()
    first.update([UInt8](repeating: 0, count: blockSize))
    message(&first)
    first.update(TwoBytes.of(size) + [0])
    first.update(tag)
    unsafe first.finalize(into: output)
    var second = SHA512()
    unsafe second.update(output, count: size)
    second.update([1])
    second.update(tag)
    unsafe second.finalize(into: output)
  }
}
