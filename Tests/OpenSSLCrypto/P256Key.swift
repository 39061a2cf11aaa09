internal import COpenSSL

/// A private key on P-256: ECDSA and ECDH.
public struct P256Key: Sendable {
  /// The private scalar, 32 bytes.
  public let scalar: [UInt8]
  /// The coordinates of the public point, 32 bytes each.
  public let x, y: [UInt8]

  /// A new random key.
  public init() {
    while true {
      if let key = P256Key(scalar: (0..<32).map { _ in .random(in: .min ... .max) }) {
        self = key
        return
      }
    }
  }

  /// The key with this scalar, 32 bytes; nil for 0 and from the curve's order on.
  public init?(scalar: [UInt8]) {
    guard scalar.count == 32, let point = Curve().multiply(nil, by: scalar) else { return nil }
    self.scalar = scalar
    (x, y) = (Array(point[1...32]), Array(point[33...]))
  }

  /// The shared x coordinate (ECDH), 32 bytes; nil if there is no such point on the curve.
  public func sharedSecret(x: [UInt8], y: [UInt8]) -> [UInt8]? {
    guard x.count == 32, y.count == 32 else { return nil }
    return Curve().multiply([4] + x + y, by: scalar).map { Array($0[1...32]) }
  }

  /// A signature of the message's SHA-256 digest, in DER.
  public func signature(for message: [UInt8]) -> [UInt8]? {
    let digest = OpenSSL.sha256(message)
    let key = unsafe EC_KEY_new_by_curve_name(NID_X9_62_prime256v1)
    defer { unsafe EC_KEY_free(key) }
    var signature = [UInt8](repeating: 0, count: 80)
    var count: UInt32 = 0
    guard unsafe EC_KEY_oct2priv(key, scalar, 32) == 1,
      unsafe ECDSA_sign(0, digest, 32, &signature, &count, key) == 1
    else { return nil }
    return Array(signature.prefix(Int(count)))
  }
}

/// The curve P-256.
@safe private struct Curve: ~Copyable {
  private let group = unsafe EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1)

  deinit { unsafe EC_GROUP_free(group) }

  /// Multiplies a point in its uncompressed form, or the base point.
  func multiply(_ point: [UInt8]?, by scalar: [UInt8]) -> [UInt8]? {
    let factor = unsafe BN_bin2bn(scalar, Int32(scalar.count), nil)
    let product = unsafe EC_POINT_new(group)
    let other = unsafe EC_POINT_new(group)
    defer {
      unsafe BN_free(factor)
      unsafe EC_POINT_free(product)
      unsafe EC_POINT_free(other)
    }
    guard unsafe BN_is_zero(factor) == 0, unsafe BN_cmp(factor, EC_GROUP_get0_order(group)) < 0
    else { return nil }
    if let point {
      guard unsafe EC_POINT_oct2point(group, other, point, point.count, nil) == 1,
        unsafe EC_POINT_mul(group, product, nil, other, factor, nil) == 1
      else { return nil }
    } else {
      guard unsafe EC_POINT_mul(group, product, factor, nil, nil, nil) == 1 else { return nil }
    }
    var bytes = [UInt8](repeating: 0, count: 65)
    let count = unsafe EC_POINT_point2oct(
      group, product, POINT_CONVERSION_UNCOMPRESSED, &bytes, 65, nil)
    return count == 65 ? bytes : nil
  }
}
