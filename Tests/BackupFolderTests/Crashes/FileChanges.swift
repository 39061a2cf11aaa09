import CFileChanges
import Foundation

/// Decides the result of calls that change files in this process (Tests/CFileChanges).
enum FileChanges {
  /// Runs `body` as a program that is killed at a change of a file; says whether it was.
  static func dying(at change: Int, _ body: () throws -> some ~Copyable) -> Bool {
    file_changes_begin(change)
    do { _ = try body() } catch {}
    let died = file_changes_crashed() != 0
    _ = file_changes_end()
    return died
  }

  /// Runs `body` while a call fails.
  ///
  /// The result is nil where there were fewer calls.
  static func failing(
    at place: Int, _ kinds: Int, _ error: Int32, _ times: Int, _ body: () throws -> Void
  ) -> Result<Void, any Error>? {
    file_changes_fail(place, Int32(kinds), error, times)
    let outcome = Result(catching: body)
    let failed = file_changes_crashed() != 0
    _ = file_changes_end()
    return failed ? outcome : nil
  }
}

extension Scene {
  private var kept: String { base + "/kept" }
  private static let places = ["cloud", "state-a"]

  /// Keeps the folder and the local state of computer a, to start from again.
  func keep() throws {
    try FileManager.default.createDirectory(atPath: kept, withIntermediateDirectories: true)
    for place in Self.places {
      try FileManager.default.copyItem(atPath: "\(base)/\(place)", toPath: "\(kept)/\(place)")
    }
  }

  /// Restores what was kept; the other computers know nothing.
  func reset() throws {
    for place in Self.places + ["state-b", "state-c"] {
      try? FileManager.default.removeItem(atPath: "\(base)/\(place)")
    }
    for place in Self.places {
      try FileManager.default.copyItem(atPath: "\(kept)/\(place)", toPath: "\(base)/\(place)")
    }
  }
}
