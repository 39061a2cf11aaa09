import FoundationEssentials
import Testing

/// Tests how memory grows with the number of wallets (docs/performance.md).
@Suite struct PeakMemoryTests {
  /// An operation is authenticated as a whole, so one copy of the largest is in memory.
  ///
  /// This test guards against a second copy.
  @Test func `Memory holds the largest operation once`() async throws {
    let box = try Sandbox()
    let count = 4000
    try await box.keybackup(["init"])
    let importOne = try await peak(box, ["wallet", "import", "-"], input: lines(0..<1))
    let restoreOne = try await peak(box, ["restore", "--json"])
    let checkOne = try await peak(box, ["verify"], pin: .none)
    let importMany = try await peak(box, ["wallet", "import", "-"], input: lines(1..<count))
    let sizes = try Files.tree(box.folder).filter { $0.contains("/log/") }
      .map { try Files.read(box.folder + "/" + $0).count }
    let largest = Double(sizes.max() ?? 0)
    #expect(largest > 1000 * Double(count), "the batch is one operation")

    // Measured: 1.3 times the file, of which 0.3 is an index that grows with the wallets. A copy of
    // the ciphertext or of the plaintext would add 0.75.
    let restored = try await peak(box, ["restore", "--json"]) - restoreOne
    #expect(restored < 1.8 * largest, "restore: \(restored) bytes more, file: \(largest)")
    let one = try await peak(box, ["wallet", "import", "-"], input: lines(count..<count + 1))
    #expect(one - importOne < 1.8 * largest, "one more: \(one - importOne), file: \(largest)")
    let checked = try await peak(box, ["verify"], pin: .none) - checkOne
    #expect(checked < 1.8 * largest, "verify: \(checked) bytes more, file: \(largest)")
    // Measured: 2 times, because the entries to import lie beside the file.
    let imported = importMany - importOne
    #expect(imported < 2.6 * largest, "import: \(imported) bytes more, file: \(largest)")
  }

  /// The largest number of bytes that a run of keybackup held at a time.
  private func peak(
    _ box: Sandbox, _ arguments: [String], pin: Sandbox.PINGiven = .file, input: [UInt8] = []
  ) async throws -> Double {
    let file = box.root + "/peak"
    try await box.keybackup(
      arguments, pin: pin, input: input, wrapper: Python.script("interop/peak_memory.py") + [file])
    let kibibytes = Double(String(decoding: try Files.read(file), as: UTF8.self))
    return 1024 * (try #require(kibibytes))
  }

  private func lines(_ wallets: Range<Int>) -> [UInt8] {
    let entries = wallets.map { Samples.entry(id: "wallet-\($0)", name: "Number \($0)") }
    return Array(entries.joined(separator: "\n").utf8)
  }
}
