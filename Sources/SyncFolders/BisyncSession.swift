package import CommandKit

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
      let (day, second) = (time.seconds / 86_400, time.seconds % 86_400)
      // Days since 0000-03-01, in eras of 400 years. (A public-domain calendar calculation in which
      // the year ends with its leap day.)
      let shifted = day + 719_468
      let era = shifted / 146_097
      let dayOfEra = shifted % 146_097
      let year =
        (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
      let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
      let month = (5 * dayOfYear + 2) / 153
      let date = dayOfYear - (153 * month + 2) / 5 + 1
      let calendarMonth = month < 10 ? month + 3 : month - 9
      let calendarYear = year + era * 400 + (calendarMonth <= 2 ? 1 : 0)
      return digits(calendarYear, 4) + "-" + digits(calendarMonth, 2) + "-" + digits(date, 2)
        + "T" + digits(second / 3600, 2) + ":" + digits(second / 60 % 60, 2) + ":"
        + digits(second % 60, 2) + "." + digits(time.nanoseconds, 9) + "+0000"
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
  }
}
