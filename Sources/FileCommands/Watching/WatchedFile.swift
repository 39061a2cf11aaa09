internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import FoundationEssentials
internal import Glibc

/// A file to watch, and its name in the backup.
package struct WatchedName: Equatable, Sendable {
  /// The absolute path.
  package let path: String
  /// The name in the backup; nil: the file's own.
  package let name: String?

  /// The name in the backup.
  package var stored: String { name ?? path.split(separator: "/").last.map(String.init) ?? path }
}

/// A file that this computer watches, as remembered in the state folder, so that `status` can tell
/// whether its newest content is in the backup.
///
/// Each has a small file of its own, so that two watchers do not undo each other's records.
struct WatchedFile: Codable, Equatable, Sendable {
  /// The content that is in the backup.
  struct Saved: Codable, Equatable, Sendable {
    /// The time of the last look at which it was there, in Unix seconds.
    var at: Int64
    /// The size in bytes.
    var size: Int64
    /// The time of the last change: seconds and nanoseconds.
    var modified: [Int]
  }

  /// The file's state.
  enum Standing: String, Sendable {
    /// Its newest content is in the backup.
    case saved
    /// It changed a moment ago.
    case changed
    /// It changed ten minutes ago or more, and that is not in the backup.
    case late
    /// It is not there.
    case missing
    /// It was replaced or deleted elsewhere, and only a mount still shows it.
    case dead
    /// Its file system does not answer.
    case unknown
  }

  /// The absolute path.
  var path: String
  /// The name in the backup; nil: the file's own.
  var name: String?
  /// The folder of the backup.
  var folder: String
  /// Since when it is watched, in Unix seconds.
  var since: Int64
  /// The content that is in the backup; nil: none.
  var saved: Saved?
  /// The last version that was not blank, where the newest one is.
  var full: Full?
  /// Whether the newest version is blank: empty, or all zero bytes.
  ///
  /// Nil in records of earlier programs.
  var blank: Bool?

  /// A version that was not blank.
  struct Full: Codable, Equatable, Sendable {
    /// The ID of the version, all its digits.
    var version: String
    /// The size in bytes, where it is known.
    var size: Int64?
  }

  /// A change counts as late after so many seconds.
  static let patience: Int64 = 600

  /// Its name in the backup.
  var storedName: String { WatchedName(path: path, name: name).stored }

  /// Whether it is the file at a path.
  func isAt(_ path: String) -> Bool { NameBytes(self.path) == NameBytes(path) }

  /// The file's state; its file system must answer.
  ///
  /// - Parameters:
  ///   - now: the time in Unix seconds.
  ///   - seen: gives the time of the first look at which the newest content was not in the backup. A file
  ///     that changes all the time has changed a moment ago.
  /// - Returns: the state, as far as size and time of the file tell.
  func standing(now: Int64, unsavedSince seen: () -> Int64? = { nil }) -> Standing {
    guard let state = WatchedState(path) else {
      return WatchedState.deadFolder(onWayTo: path) == nil ? .missing : .dead
    }
    if state.isDead { return .dead }
    guard state.isRegular else { return .missing }
    if let saved, saved.size == state.size, saved.modified == state.modified { return .saved }
    // A clock that was set back must not hide it: then it counts from when it was watched.
    let changed = max(Int64(state.modified[0]), since)
    let first = min(changed, seen() ?? changed)
    let (age, isTooLong) = now.subtractingReportingOverflow(first)
    return !isTooLong && (0..<Self.patience).contains(age) ? .changed : .late
  }

  /// The record after a version was added.
  ///
  /// - Parameters:
  ///   - isBlank: whether that version is empty, or all zero bytes.
  ///   - last: the version before it.
  /// - Returns: the record, which knows the last version that was neither.
  func noting(isBlank: Bool, after last: Digest?) -> WatchedFile {
    var record = self
    record.blank = isBlank
    if !isBlank {
      record.full = nil
    } else if let last, !(blank ?? (saved?.size == 0)) {
      record.full = Full(version: last.hex, size: saved?.size)
    }
    return record
  }

  /// The version to go back to, where the newest one is blank.
  var fullBehindBlank: Full? { blank ?? (saved?.size == 0) ? full : nil }

  /// The first look at which the newest content was not in the backup.
  private struct Unsaved: Codable {
    /// The last look before it at which the backup had it.
    var saved: Int64?
    var since: Int64
  }

  /// Forgets that, because the backup has the newest content.
  func forgetUnsaved(_ world: World) {
    guard let place = Self.place(world) else { return }
    FileCheck.remove("\(place)/\(unsavedName)")
  }

  /// The time of the first look at which the newest content was not in the backup: now, if this is it.
  ///
  /// It has a file of its own: the watcher writes the record.
  func unsavedSince(_ world: World) -> Int64? {
    guard let place = Self.place(world) else { return nil }
    let now = world.now()
    let data = try? Data(contentsOf: URL(filePath: "\(place)/\(unsavedName)"))
    if let known = data.flatMap({ try? JSONDecoder().decode(Unsaved.self, from: $0) }),
      known.saved == saved?.at, known.since <= now
    {
      return known.since
    }
    if let bytes = try? JSONEncoder().encode(Unsaved(saved: saved?.at, since: now)) {
      try? PrivateFolder.replace(Array(bytes), as: unsavedName, in: place)
    }
    return now
  }

  // MARK: The records

  /// Every watched file, by its path.
  static func all(_ world: World) -> [WatchedFile] {
    guard let place = place(world),
      let names = try? FileManager.default.contentsOfDirectory(atPath: place)
    else { return [] }
    return names.filter { $0.hasSuffix(".json") }.compactMap { read("\(place)/\($0)") }
      .sorted { $0.path < $1.path }
  }

  /// The files that are watched for a folder; where none is, those of folders that are gone: it may
  /// have been moved.
  static func of(_ folder: String, _ world: World) -> [WatchedFile] {
    let all = all(world)
    let own = all.filter { $0.folder == folder }
    return own.isEmpty ? all.filter { !FileCheck.exists($0.folder) } : own
  }

  /// Remembers it; a failure is no error, because the backup does not need it.
  func keep(_ world: World) {
    guard let place = Self.place(world), Self.read("\(place)/\(recordName)") != self else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let bytes = try? encoder.encode(self) else { return }
    try? PrivateFolder.replace(Array(bytes), as: recordName, in: place)
  }

  /// The record of a file; a new one if there is none.
  static func record(_ file: WatchedName, folder: String, _ world: World) -> WatchedFile {
    let new = WatchedFile(
      path: file.path, name: file.name, folder: folder, since: world.now(), saved: nil)
    guard let place = place(world), let known = read("\(place)/\(new.recordName)"),
      known.name.map(NameBytes.init) == file.name.map(NameBytes.init)
    else { return new }
    return known
  }

  /// Forgets it.
  ///
  /// - Returns: whether there was a record.
  func forget(_ world: World) -> Bool {
    guard let place = Self.place(world), FileCheck.exists("\(place)/\(recordName)") else {
      return false
    }
    FileCheck.remove("\(place)/\(recordName)")
    FileCheck.remove("\(place)/\(unsavedName)")
    return true
  }

  private static func read(_ path: String) -> WatchedFile? {
    guard let data = try? Data(contentsOf: URL(filePath: path)) else { return nil }
    return try? JSONDecoder().decode(WatchedFile.self, from: data)
  }

  /// A file may be watched for several folders.
  private var recordName: String {
    Digest(of: Array((path + "\0" + folder).utf8).span).hex.prefix(32) + ".json"
  }

  private var unsavedName: String { recordName.dropLast(".json".count) + ".unsaved" }

  private static func place(_ world: World) -> String? { world.stateFolder.map { $0 + "/watched" } }
}
