public import SecretMemory
@_spi(_Unicode) internal import Swift

/// A PIN ready to be sent: normalised, checked, in guarded memory.
///
/// CTAP 2.1, section 6.5.1: UTF-8 in normalisation form C, at least 4 code points, at most 63
/// bytes. Characters that nobody means to type are refused, so that no try is spent on them. The
/// value is shared by reference, so that one guarded copy serves every operation. It is wiped with
/// the last reference.
@safe
public final class PIN: Sendable {
  /// The smallest number of code points, 4.
  public static let minimumCodePoints = 4
  /// The largest number of bytes of UTF-8, 63.
  public static let maximumBytes = 63
  /// The largest number of typed bytes that are read, 1008: normalisation usually shortens text.
  public static let maximumTypedBytes = 16 * maximumBytes

  /// The PIN and a zero byte, as C requires.
  private let terminated: SecretBytes
  /// The number of code points, to which an authenticator's minimum length applies.
  public let codePointCount: Int

  /// Checks and normalises a PIN.
  ///
  /// ASCII stays in guarded memory. Other text passes through a `String`, whose copy cannot be
  /// wiped: only the standard library can normalise.
  ///
  /// - Parameter utf8: the PIN as typed, without a line end.
  /// - Throws: ``PRFDeviceError/pinPolicyViolation(_:)``.
  public init(_ utf8: borrowing SecretBytes) throws(PRFDeviceError) {
    guard utf8.count <= Self.maximumTypedBytes else { throw .pinPolicyViolation(.tooLong) }
    if let flaw = utf8.pinFlaw() { throw .pinPolicyViolation(.notText(flaw)) }
    if utf8.withBytes({ $0.allBytes { $0 < 0x80 } }) {
      terminated = try Self.terminating(utf8, codePoints: utf8.count)
      codePointCount = utf8.count
    } else {
      guard let text = utf8.withBytes({ Self.text($0) }) else {
        throw .pinPolicyViolation(.notText(.notUTF8))
      }
      var normalised = SecretBytes(zeroed: Self.maximumBytes)
      var count = 0
      var codePoints = 0
      for scalar in text._nfc {
        codePoints += 1
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
          guard count < normalised.count else { throw .pinPolicyViolation(.tooLong) }
          normalised.withMutableBytes {
            $0.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
          }
          count += 1
        }
      }
      normalised.resize(to: count)
      terminated = try Self.terminating(normalised, codePoints: codePoints)
      codePointCount = codePoints
    }
  }

  /// Whether both are sent as the same bytes.
  public func isEqual(to other: PIN) -> Bool { terminated.isEqual(to: other.terminated) }

  /// Passes the PIN as a C string, for one call.
  func withCString<R>(_ body: (UnsafePointer<CChar>) -> R) -> R {
    unsafe terminated.withUnsafeBytes { bytes in
      // Never empty: the initialiser added a zero byte.
      unsafe body(bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: CChar.self))
    }
  }

  /// The bytes as text; `nil` when they are not UTF-8.
  private static func text(_ bytes: RawSpan) -> String? {
    unsafe bytes.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }
  }

  private static func terminating(
    _ utf8: borrowing SecretBytes, codePoints: Int
  ) throws(PRFDeviceError) -> SecretBytes {
    guard codePoints >= minimumCodePoints else { throw .pinPolicyViolation(.tooShort) }
    guard utf8.count <= maximumBytes else { throw .pinPolicyViolation(.tooLong) }
    return utf8.withBytes { source in
      SecretBytes(count: source.byteCount + 1) { target in
        for offset in source.byteOffsets {
          target.storeBytes(of: source.byte(offset), toByteOffset: offset, as: UInt8.self)
        }
      }
    }
  }
}
