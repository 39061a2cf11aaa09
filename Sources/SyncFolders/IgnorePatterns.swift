internal import CSPP
internal import CommandKit
internal import Glibc

/// The ignore patterns of a Syncthing folder (its documentation, "Ignoring Files").
///
/// They are interpreted nearly as Syncthing does, for a warning. `status --synchronised` asks
/// Syncthing itself what is really ignored.
struct IgnorePatterns: Sendable {
  /// The file of the patterns.
  let file: String
  private let root: String
  private var patterns: [String] = []

  /// Reads a folder's patterns; nil when it has none.
  init?(of folder: SyncFolder) {
    root = folder.path
    file = root + "/.stignore"
    guard let text = ForeignFile.text(file) else { return nil }
    add(text, depth: 4)
  }

  private mutating func add(_ text: String, depth: Int) {
    for line in text.split(whereSeparator: \.isNewline).map(\.trimmed) where !line.isEmpty {
      if line.hasPrefix("//") { continue }
      if line.hasPrefix("#include") {
        let name = line.dropFirst("#include".count).trimmed
        guard depth > 0, !name.contains(".."),
          let more = ForeignFile.text(root + "/" + name)
        else { continue }
        add(more, depth: depth - 1)
      } else if patterns.count < 1000 {
        patterns.append(line)
      }
    }
  }

  /// The pattern that ignores a file of a backup at `place`; nil when none does.
  ///
  /// - Parameter place: the backup folder, in the Syncthing folder.
  /// - Returns: the pattern as written in the file.
  func covering(_ place: String) -> String? {
    let below = String(decoding: place.utf8.dropFirst(root.utf8.count + 1), as: UTF8.self)
    for file in Self.files {
      let path = below.isEmpty ? file : below + "/" + file
      // The first pattern that matches decides.
      for pattern in patterns where matches(pattern, path) {
        if isException(pattern) { break }
        return pattern
      }
    }
    return nil
  }

  /// One file of each kind.
  private static var files: [String] {
    let digits = String(repeating: "0", count: 64)
    let namespace = FolderLayout.namespaces + "/" + digits.prefix(32)
    return [
      "\(namespace)/master-key/masterkey-\(digits).json",
      "\(namespace)/wallets/wallet-\(digits).json",
      "\(namespace)/keybackup/keys/\(digits.prefix(32)).json",
      "\(namespace)/keybackup/log/\(digits.prefix(32))/00000001-\(digits.prefix(32)).json",
    ]
  }

  private func isException(_ pattern: String) -> Bool {
    var rest = pattern[...]
    while rest.hasPrefix("(?") {
      rest = rest.dropFirst(
        rest.firstIndex(of: ")").map { rest.distance(from: rest.startIndex, to: $0) + 1 } ?? 2)
    }
    return rest.hasPrefix("!")
  }

  /// Whether a pattern matches the path or a folder that contains it.
  private func matches(_ pattern: String, _ path: String) -> Bool {
    var pattern = pattern[...]
    var flags = Int32(0)
    while true {
      if pattern.hasPrefix("!") {
        pattern = pattern.dropFirst()
      } else if pattern.hasPrefix("(?d)") {
        pattern = pattern.dropFirst(4)
      } else if pattern.hasPrefix("(?i)") {
        pattern = pattern.dropFirst(4)
        flags |= 1 << 4  // FNM_CASEFOLD, which glibc hides.
      } else {
        break
      }
    }
    let isRooted = pattern.hasPrefix("/")
    if isRooted { pattern = pattern.dropFirst() }
    if pattern.hasSuffix("/") { pattern = pattern.dropLast() }
    guard !pattern.isEmpty else { return false }
    // Only ** crosses a separator.
    if !pattern.contains("**") { flags |= FNM_PATHNAME }
    let parts = path.split(separator: "/")
    for start in parts.indices {
      for end in start..<parts.endIndex {
        let candidate = parts[start...end].joined(separator: "/")
        if unsafe fnmatch(String(pattern), candidate, flags) == 0 { return true }
      }
      if isRooted { return false }
    }
    return false
  }
}
