import Benchmark
import CSPP
import SecretMemory

// What one wallet costs inside the process: no files, no key. Whole processes
// are measured by Benchmarks/run.
let benchmarks: @Sendable () -> Void = {
  Benchmark.defaultConfiguration = .init(
    metrics: [.wallClock, .cpuTotal, .throughput], scalingFactor: .kilo,
    maxDuration: .seconds(2))

  Benchmark("HKDF-SHA-256, 32 bytes") { benchmark in
    let key = SecretBytes.random(count: 32)
    var output = SecretBytes(zeroed: 64)
    let salt = Randomness.bytes(count: 32)
    let info = Array("cspp:v1:wallet".utf8)
    for _ in benchmark.scaledIterations {
      key.withBytes { HKDFSHA256.deriveKey(ikm: $0, salt: salt, info: info, into: &output) }
    }
  }

  Benchmark("Guarded memory, 32 bytes, made and wiped") { benchmark in
    for _ in benchmark.scaledIterations { blackHole(SecretBytes(zeroed: 32).count) }
  }

  Benchmark("Wallet envelope: parse, decrypt, parse the entry") { benchmark in
    let sample = try Sample()
    var cipher = WalletCipher(sample.masterKey)
    var plaintext = SecretBytes(zeroed: 4096)
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations {
      let envelope = try WalletEnvelope(
        parsing: sample.file.span, at: cipher.namespaceID, recordID: sample.entry.recordID)
      blackHole(
        try envelope.open(with: &cipher, recordID: sample.entry.recordID, into: &plaintext))
    }
  }

  Benchmark("Wallet envelope: seal") { benchmark in
    let sample = try Sample()
    var cipher = WalletCipher(sample.masterKey)
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations {
      blackHole(
        try WalletEnvelope.seal(
          sample.plaintext, entry: sample.entry, with: &cipher, createdAt: 0, updatedAt: 0))
    }
  }
}

/// One wallet of usual size, sealed.
struct Sample: ~Copyable {
  let masterKey: MasterKey
  let plaintext: SecretBytes
  let entry: WalletEntry
  let file: [UInt8]

  // Everything is made before any of it is stored: a value that cannot be
  // copied is never left half-made by a `throw`.
  init() throws {
    let words =
      "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"
    let secret = SecretBytes(copying: Array(words.utf8).span.bytes)
    let new = NewWalletEntry(
      walletID: "sample", kind: .mnemonic, secret: secret,
      metadata: .init(name: "Savings", network: "Bitcoin"))
    let masterKey = MasterKey.random()
    let plaintext = try new.encode(updatedAt: 0)
    let entry = try WalletEntry(parsing: plaintext)
    var cipher = WalletCipher(masterKey)
    file = try WalletEnvelope.seal(
      plaintext, entry: entry, with: &cipher, createdAt: 0, updatedAt: 0)
    self.masterKey = masterKey
    self.plaintext = plaintext
    self.entry = entry
  }
}
