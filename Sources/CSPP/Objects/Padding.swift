/// Sizes that tell little of what is inside.
package enum Padding {
  /// The least padded size, 4 KiB.
  package static let floor: UInt64 = 4096

  /// The size to which Padmé (Nikitin et al., PURBs) pads, at least 4 KiB: at most 12 % more.
  ///
  /// It keeps as many leading bits of the size as the size's logarithm has bits.
  ///
  /// - Parameter size: in bytes, at most 2^62.
  /// - Returns: the padded size in bytes.
  package static func padme(_ size: UInt64) -> UInt64 {
    guard size > floor else { return floor }
    let exponent = UInt64.bitWidth - 1 - size.leadingZeroBitCount
    let kept = Int.bitWidth - exponent.leadingZeroBitCount
    let mask: UInt64 = 1 << UInt64(exponent - kept) - 1
    return (size + mask) & ~mask
  }

  /// The next power of two, at least 4 KiB.
  ///
  /// - Parameter size: in bytes, at most 2^62.
  /// - Returns: the padded size in bytes.
  package static func powerOfTwo(_ size: Int) -> Int {
    guard size > Int(floor) else { return Int(floor) }
    return 1 << (Int.bitWidth - (size - 1).leadingZeroBitCount)
  }
}
