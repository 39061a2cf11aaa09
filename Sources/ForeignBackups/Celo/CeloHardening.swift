internal import COpenSSL
internal import SecretMemory

/// The function that makes each guess at a password cost computation, and its costs.
///
/// They come from a file that anybody may have made, so they are bounded before anything is
/// computed: ``memoryLimit``, ``workLimit`` and ``iterationLimit``.
package enum CeloHardening: Equatable, Sendable {
  /// PBKDF2-HMAC-SHA256 with so many iterations.
  case pbkdf2(iterations: Int)
  /// scrypt: N, r and p.
  case scrypt(cost: Int, blockSize: Int, parallelization: Int)

  /// The most memory that scrypt may take, 512 MiB.
  package static let memoryLimit = 512 << 20
  /// The most work that scrypt may do: N times r times p, 128 times that of Celo's password profile.
  package static let workLimit = 1 << 25
  /// The most iterations of PBKDF2.
  package static let iterationLimit = 10_000_000
  /// The memory that Celo's own program allows itself on Node, 32 MiB.
  ///
  /// Its password profile (N = 32768, r = 8) needs a little more, and fails there.
  package static let nodeMemoryLimit = 32 << 20
  /// The r of a file that names none.
  static let standardBlockSize = 8
  /// The p of a file that names none.
  static let standardParallelization = 1

  /// The costs for new files: the most for a guess that Celo's own program can still open.
  package static let standard = CeloHardening.scrypt(
    cost: 16384, blockSize: 8, parallelization: 5)
  /// The least work for new files: N times r times p.
  package static let leastWork = 16384 * 8

  /// The bytes that OpenSSL takes for scrypt; nil for PBKDF2, and where they are too many to count.
  package var memory: Int? {
    guard case .scrypt(let cost, let blockSize, let parallelization) = self else { return nil }
    let (blocks, isTooMany) = cost.addingReportingOverflow(parallelization + 2)
    let (block, isTooLarge) = blockSize.multipliedReportingOverflow(by: 128)
    let (bytes, isTooMuch) = blocks.multipliedReportingOverflow(by: block)
    return isTooMany || isTooLarge || isTooMuch ? nil : bytes
  }

  /// Whether Celo's own program can compute this on Node.
  package var opensOnNode: Bool {
    switch self {
    case .pbkdf2: true
    case .scrypt: memory.map { $0 <= Self.nodeMemoryLimit } ?? false
    }
  }

  /// Refuses what cannot be computed, and what would eat the machine.
  ///
  /// - Throws: `damaged`, `tooLarge`; the part is the file's field.
  package func check() throws(ForeignBackupError) {
    switch self {
    case .pbkdf2(let iterations):
      guard iterations > 0 else {
        throw .damaged(part: "the field computationalHardening.iterations")
      }
      guard iterations <= Self.iterationLimit else {
        throw .tooLarge(
          part: "the field computationalHardening.iterations", limit: Self.iterationLimit)
      }
    case .scrypt(let cost, let blockSize, let parallelization):
      // RFC 7914: N is a power of two above 1, and below 2^(128 r / 8).
      guard blockSize > 0 else {
        throw .damaged(part: "the field computationalHardening.blockSize")
      }
      guard cost > 1, cost & (cost - 1) == 0, blockSize > 3 || cost < 1 << (16 * blockSize) else {
        throw .damaged(part: "the field computationalHardening.cost")
      }
      guard parallelization > 0, parallelization < 1 << 30 else {
        throw .damaged(part: "the field computationalHardening.parallelization")
      }
      guard let memory, memory <= Self.memoryLimit else {
        throw .tooLarge(
          part: "the memory that computationalHardening asks for", limit: Self.memoryLimit)
      }
      // The product is small now: each factor is below 2^30, and two of them below 2^22 together.
      guard cost * blockSize * parallelization <= Self.workLimit else {
        throw .tooLarge(
          part: "the work that computationalHardening asks for (cost times blockSize times "
            + "parallelization)", limit: Self.workLimit)
      }
    }
  }

  /// The hardened key.
  ///
  /// - Parameter key: what is hardened, 32 bytes.
  /// - Returns: 32 bytes.
  /// - Throws: as ``check()``; `outOfMemory`.
  func harden(_ key: borrowing SecretBytes) throws(ForeignBackupError) -> SecretBytes {
    try check()
    var hardened = SecretBytes(zeroed: 32)
    let isDone = unsafe hardened.withUnsafeMutableBytes { output in
      unsafe key.withUnsafeBytes { key in
        unsafe compute(key, into: output.baseAddress?.assumingMemoryBound(to: UInt8.self))
      }
    }
    guard isDone else {
      ERR_clear_error()
      throw .outOfMemory
    }
    return hardened
  }

  private func compute(
    _ key: UnsafeRawBufferPointer, into output: UnsafeMutablePointer<UInt8>?
  ) -> Bool {
    let password = unsafe key.baseAddress?.assumingMemoryBound(to: CChar.self)
    switch self {
    case .pbkdf2(let iterations):
      let salt = CeloKeyMixer.Info.pbkdf2.bytes
      return unsafe PKCS5_PBKDF2_HMAC(
        password, Int32(key.count), salt, Int32(salt.count), Int32(iterations), EVP_sha256(), 32,
        output) == 1
    case .scrypt(let cost, let blockSize, let parallelization):
      let salt = CeloKeyMixer.Info.scrypt.bytes
      return unsafe EVP_PBE_scrypt(
        password, key.count, salt, salt.count, UInt64(cost), UInt64(blockSize),
        UInt64(parallelization), UInt64(Self.memoryLimit), output, 32) == 1
    }
  }
}
