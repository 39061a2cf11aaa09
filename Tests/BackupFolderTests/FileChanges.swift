import CFileChanges
import Foundation

/// What becomes of calls that change files, in this process (Tests/CFileChanges).
enum FileChanges {
  /// Runs `body` as a program that is killed at a change of a file; says whether it was.
  static func dying(at change: Int, _ body: () throws -> some ~Copyable) -> Bool {
    file_changes_begin(change)
    do { _ = try body() } catch {}
    let died = file_changes_crashed() != 0
    _ = file_changes_end()
    return died
  }
}

extension Scene {
  private var kept: String { base + "/kept" }
  private static let places = ["cloud", "state-a"]

  /// Keeps the folder and what computer a knows, to be begun with again.
  func keep() throws {
    try FileManager.default.createDirectory(atPath: kept, withIntermediateDirectories: true)
    for place in Self.places {
      try FileManager.default.copyItem(atPath: "\(base)/\(place)", toPath: "\(kept)/\(place)")
    }
  }

  /// Puts back what was kept; the other computers know nothing.
  func reset() throws {
    for place in Self.places + ["state-b", "state-c"] {
      try? FileManager.default.removeItem(atPath: "\(base)/\(place)")
    }
    for place in Self.places {
      try FileManager.default.copyItem(atPath: "\(kept)/\(place)", toPath: "\(base)/\(place)")
    }
  }
}
