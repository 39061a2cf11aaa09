package import CommandKit
internal import FoundationEssentials

/// The records of `rclone bisync` about the two sides that it keeps equal: a listing of each at the
/// end of its last run.
package struct BisyncSession: Sendable {
  /// The path of the listings without ".path1.lst".
  private let base: String
  /// Whether the local folder is the first side.
  private let isFirst: Bool
  /// The local folder.
  private let root: String

  /// The session that has a folder, or one around it, as a side; nil when rclone's cache folder has
  /// none.
  package static func find(_ place: String, _ world: World) -> BisyncSession? {
    guard let cache = world.userFolder("XDG_CACHE_HOME", ".cache") else { return nil }
    let folder = cache + "/rclone/bisync"
    let sessions = ForeignFile.names(in: folder).compactMap { name in
      name.hasSuffix(".path1.lst") ? String(name.dropLast(".path1.lst".count)) : nil
    }
    var root = place[...]
    while !root.isEmpty, !sessions.isEmpty {
      let side = canonical(root)
      for session in sessions {
        if session.hasPrefix(side + "..") {
          return BisyncSession(base: folder + "/" + session, isFirst: true, root: String(root))
        }
        if session.hasSuffix(".." + side) {
          return BisyncSession(base: folder + "/" + session, isFirst: false, root: String(root))
        }
      }
      root = root[..<(root.lastIndex(of: "/") ?? root.startIndex)]
    }
    return nil
  }

  /// A path in the form of the listings' names.
  private static func canonical(_ path: Substring) -> String {
    var side = path.trimmingPrefix("/")
    while side.hasSuffix("/") { side = side.dropLast() }
    return String(side.map { " /\\:?*".contains($0) ? "_" : $0 })
  }

  /// Whether both sides had every file, in its present state, when bisync last ran.
  package func answer(_ files: [SyncedFile]) -> SyncAnswer {
    let engine = SyncEngine.rcloneBisync
    if FileCheck.exists(base + ".path1.lst-err") || FileCheck.exists(base + ".path2.lst-err") {
      return .notYet(engine, "its last run failed, and it waits for one with --resync")
    }
    let limit = 512 << 20
    guard let first = ForeignFile.text(base + ".path1.lst", limit: limit),
      let second = ForeignFile.text(base + ".path2.lst", limit: limit)
    else { return .unknown(engine, "its record cannot be read") }
    let here = Listing(isFirst ? first : second)
    let there = Listing(isFirst ? second : first)
    let lacking = files.count { file in
      let name = String(decoding: file.path.utf8.dropFirst(root.utf8.count + 1), as: UTF8.self)
      guard let own = here.files[name], let other = there.files[name] else { return true }
      return own.size != file.size || other.size != file.size
        || own.time != Listing.time(file.modified)
    }
    return lacking > 0
      ? .notYet(engine, "\(SyncAnswer.count(lacking, "file")) for its next run")
      : .yes(engine, "both sides had everything at its last run")
  }

  /// One listing: flags, size, hash, ID, time and quoted name of every file.
  private struct Listing {
    var files: [String: (size: Int, time: String)] = [:]

    init(_ text: String) {
      for line in text.split(separator: "\n") where !line.hasPrefix("#") {
        guard let quote = line.firstIndex(of: "\""), line.last == "\"" else { continue }
        let fields = line[..<quote].split(separator: " ")
        guard fields.count == 5, let size = Int(fields[1]) else { continue }
        let name = INIFile.unquoted(String(line[quote...]))
        files[name] = (size, String(fields[4]))
      }
    }

    /// A time in the listing's form: "2026-11-21T20:57:19.861445595+0000".
    static func time(_ time: (seconds: Int, nanoseconds: Int)) -> String {
      let second = Date(timeIntervalSince1970: Double(time.seconds)).formatted(.iso8601).dropLast()
      let digits = String(time.nanoseconds)
      return second + "." + String(repeating: "0", count: 9 - digits.utf8.count) + digits + "+0000"
    }
  }
}
