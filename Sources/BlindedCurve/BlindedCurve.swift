internal import CSecp256k1
internal import SecretMemory

/// Bitcoin's curve, for multiplications with secrets.
package enum BlindedCurve {
  /// libsecp256k1's context, created once and blinded against side channels.
  nonisolated(unsafe) package static let context: OpaquePointer = {
    guard let context = unsafe secp256k1_context_create(UInt32(SECP256K1_CONTEXT_NONE)) else {
      preconditionFailure("out of memory")
    }
    let seed = SecretBytes.random(count: 32)
    unsafe seed.withUnsafeBytes { seed in
      _ = unsafe secp256k1_context_randomize(
        context, seed.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self))
    }
    return unsafe context
  }()
}
