import FoundationEssentials

/// The seed of a run's random tests, so that a failure can be repeated with it.
public enum TestSeed {
  /// The seed that `KEYBACKUP_TEST_SEED` names.
  public static let given =
    ProcessInfo.processInfo.environment["KEYBACKUP_TEST_SEED"].flatMap { UInt64($0) }

  /// The seed that is given, or else 1: without one, every run plays the same.
  ///
  /// `make model`, `make crash-test` and `make fuzz` look for what nobody has met.
  public static let value = given ?? 1
}

extension [UInt8] {
  /// Bytes that depend on the run's seed and on the place in the test, and on nothing else.
  ///
  /// - Parameters:
  ///   - count: how many.
  ///   - file: the caller's file.
  ///   - line: the caller's line.
  ///   - column: the caller's column.
  /// - Returns: the bytes; the same whenever this place is reached.
  public static func seeded(
    _ count: Int, file: String = #fileID, line: Int = #line, column: Int = #column
  ) -> [UInt8] {
    // FNV-1a: Swift's own hashes differ in every run.
    let place = "\(file):\(line):\(column)".utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
    var generator = SeededGenerator(seed: place ^ TestSeed.value)
    return generator.bytes(count)
  }
}
