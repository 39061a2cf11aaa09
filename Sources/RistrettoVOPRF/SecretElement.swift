internal import CSodium
internal import SecretMemory

/// Elements that must stay secret, in guarded memory: those of an input before and after blinding.
enum SecretElement {
  /// An element times a scalar; nil for the identity.
  static func product(
    _ element: borrowing SecretBytes, _ scalar: borrowing SecretBytes
  ) -> SecretBytes? {
    element.withBytes { product($0, scalar) }
  }

  /// An element times a scalar; nil for the identity.
  static func product(
    _ element: RistrettoElement, _ scalar: borrowing SecretBytes
  ) -> SecretBytes? {
    unsafe product(element.bytes.span.bytes, scalar)
  }

  /// An element divided by a scalar; nil for the identity.
  static func quotient(
    _ element: RistrettoElement, _ scalar: borrowing SecretBytes
  ) -> SecretBytes? {
    var inverse = SecretBytes(zeroed: RistrettoScalar.size)
    let failed = unsafe inverse.withUnsafeMutableBytes { inverse in
      unsafe scalar.withUnsafeBytes { scalar in
        unsafe crypto_core_ristretto255_scalar_invert(
          RistrettoScalar.start(inverse), RistrettoScalar.start(scalar)) != 0
      }
    }
    return failed ? nil : product(element, inverse)
  }

  private static func product(
    _ element: RawSpan, _ scalar: borrowing SecretBytes
  ) -> SecretBytes? {
    var product = SecretBytes(zeroed: RistrettoElement.size)
    let failed = unsafe product.withUnsafeMutableBytes { product in
      unsafe scalar.withUnsafeBytes { scalar in
        unsafe element.withUnsafeBytes { element in
          unsafe crypto_scalarmult_ristretto255(
            RistrettoScalar.start(product), RistrettoScalar.start(scalar),
            RistrettoScalar.start(element)) != 0
        }
      }
    }
    return failed ? nil : consume product
  }
}
