// This folder is for this computer's settings: keybackup.conf, variables, what `init`
// remembered, and where a value comes from. Later rooms take a value from here where no
// option gives one. What a setting is used for is not known here.

internal import CLinux
internal import CommandSupport
internal import Glibc

/// The settings that `keybackup.conf` may hold.
package enum SettingName: String, CaseIterable, Sendable {
  case folder
  case pinFile = "pin-file"
  case askpass
  case wait
  case timeout

  /// The seconds that a number may be; nil: the value is a path.
  package var seconds: ClosedRange<Int>? {
    switch self {
    case .folder, .pinFile, .askpass: nil
    case .wait: 0...86_400
    case .timeout: 1...600
    }
  }
}

/// `keybackup.conf`: one setting a line, `name = value`.
///
/// Everything that is wrong with it is a `config` error. None repeats a value: somebody
/// may have put a PIN there.
package struct SettingsFile: Sendable {
  /// A setting as its line has it, a path from the root.
  package struct Entry: Sendable, Equatable {
    package var value: String
    package var line: Int

    package init(value: String, line: Int) {
      self.value = value
      self.line = line
    }
  }

  /// Where the file is or would be; nil without a home.
  package let path: String?
  package private(set) var exists = false
  package private(set) var entries: [SettingName: Entry] = [:]
  /// The mistakes, in the order of the lines.
  package private(set) var problems: [UserMessage] = []

  /// The file's name.
  package static let name = "keybackup.conf"
  /// Most bytes that it may have.
  package static let limit = 64 << 10

  package init(
    path: String?, exists: Bool = false, entries: [SettingName: Entry] = [:],
    problems: [UserMessage] = []
  ) {
    self.path = path
    self.exists = exists
    self.entries = entries
    self.problems = problems
  }

  /// Reads the file once in a run.
  ///
  /// - Parameter world: says where it is.
  /// - Returns: its settings, with what is wrong in it; an absent one is empty.
  package static func look(_ world: World) -> SettingsFile {
    guard let folder = world.configurationFolder else { return SettingsFile(path: nil) }
    let path = folder + "/" + name
    return world.run.settings(path) {
      var file = SettingsFile(path: path)
      file.fill(path, home: world.variable("HOME"))
      return file
    }
  }

  /// Reads the file; see ``look(_:)``.
  ///
  /// - Throws: `config` for the first thing that is wrong.
  package static func load(_ world: World) throws(UserMessage) -> SettingsFile {
    let file = look(world)
    guard var first = file.problems.first else { return file }
    if file.problems.count > 1 {
      first.hint =
        (first.hint.map { $0 + "\n" } ?? "") + "to see all that is wrong: keybackup config show"
    }
    throw first
  }

  /// A setting and its line.
  package subscript(name: SettingName) -> Setting? {
    guard let entry = entries[name], let path else { return nil }
    return Setting(name: name, value: entry.value, origin: .file(path, line: entry.line))
  }

  /// The number of a setting.
  package func seconds(_ name: SettingName) -> Int? { entries[name].flatMap { Int($0.value) } }

  // MARK: Reading

  private mutating func fill(_ path: String, home: String?) {
    do throws(UserMessage) {
      guard let bytes = try Self.content(path) else { return }
      exists = true
      parse(bytes, path, home)
    } catch {
      exists = true
      problems.append(error)
    }
  }

  /// The file's bytes; nil where there is none.
  private static func content(_ path: String) throws(UserMessage) -> [UInt8]? {
    // Opening a FIFO that nobody writes to must not block.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else {
      let reason = errno
      if reason == ENOENT || reason == ENOTDIR {
        guard leadsNowhere(path) else { return nil }
        throw problem(
          path, "is a link that leads nowhere, or lies below one",
          hint: "mount what it leads to, or remove the link")
      }
      throw problem(
        path, "could not be opened: \(systemText(reason))",
        hint: reason == EACCES
          ? "make it readable for you, or name another folder in XDG_CONFIG_HOME" : nil)
    }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw problem(path, "could not be read: \(systemText(errno))")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw problem(path, "is no regular file", hint: "move away what is there")
    }
    guard status.st_uid == 0 || status.st_uid == geteuid() else {
      throw problem(
        path, "belongs to somebody else, who could change what keybackup runs",
        hint: "look at it; then make it yours with chown, or remove it")
    }
    guard status.st_mode & 0o022 == 0 else {
      throw problem(
        path, "can be changed by others",
        hint: "look at it; then run: chmod go-w \(ShellWord.quoted(path))")
    }
    try requireFolderOfOwn(path)
    return try bytes(descriptor, path)
  }

  /// Fails where others can put another file in the place of this one.
  ///
  /// The folder of its name and that of a link's target are looked at, none above them.
  private static func requireFolderOfOwn(_ path: String) throws(UserMessage) {
    for file in [path, FileCheck.absolute(path) ?? path] {
      guard let slash = file.utf8.lastIndex(of: UInt8(ascii: "/")) else { continue }
      let folder = String(file[...slash])
      var status = stat()
      guard unsafe stat(folder, &status) == 0 else { continue }
      let isOwn = status.st_uid == 0 || status.st_uid == geteuid()
      // In a folder like /tmp nobody replaces another user's file.
      if isOwn, status.st_mode & 0o022 == 0 || status.st_mode & S_ISVTX != 0 { continue }
      throw problem(
        path, "is in a folder that others can change",
        hint: "look at the file; then "
          + (isOwn
            ? "run: chmod go-w \(ShellWord.quoted(folder))" : "put it into a folder of your own"))
    }
  }

  private static func bytes(_ descriptor: Int32, _ path: String) throws(UserMessage) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    var filled = 0
    while filled < bytes.count {
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe read(
          descriptor, UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).baseAddress,
          buffer.count - filled)
      }
      if count == 0 { break }
      if count > 0 {
        filled += count
      } else if errno != EINTR {
        throw problem(path, "could not be read: \(systemText(errno))")
      }
    }
    guard filled <= limit else {
      throw problem(path, "is larger than 64 KiB", hint: "look at what put it there")
    }
    return Array(bytes[..<filled])
  }

  /// Whether a path that does not open ends at a link that leads nowhere, itself or one of
  /// the folders above it.
  private static func leadsNowhere(_ path: String) -> Bool {
    var place = path
    while let slash = place.utf8.lastIndex(of: UInt8(ascii: "/")), !place.isEmpty {
      var status = stat()
      if unsafe lstat(place, &status) == 0 {
        return unsafe status.st_mode & S_IFMT == S_IFLNK && stat(place, &status) != 0
      }
      place = String(place[..<slash])
    }
    return false
  }

  private static func problem(
    _ path: String, _ what: String, line: Int? = nil, hint: String? = nil
  ) -> UserMessage {
    let place = PrintableText.name(path, limit: 300) + (line.map { ", line \($0)" } ?? "")
    return UserMessage(.config, "\(place): \(what)", hint: hint)
  }

  // MARK: Lines

  private mutating func parse(_ bytes: [UInt8], _ path: String, _ home: String?) {
    guard !bytes.contains(0) else {
      problems.append(
        Self.problem(path, "it has a NUL byte, so it is no text", hint: "write it again"))
      return
    }
    var lines: [SettingName: Int] = [:]
    // Some editors write a byte order mark first.
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    for (index, line) in text.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
      do throws(Mistake) {
        try take(line.last == 13 ? line.dropLast() : line, index + 1, home, &lines)
      } catch {
        problems.append(Self.problem(path, error.what, line: index + 1, hint: error.hint))
      }
    }
  }

  /// A mistake in one line.
  private struct Mistake: Error {
    var what: String
    var hint: String?

    static let noAssignment = Mistake(
      what: "it is not name = value", hint: "a comment begins with #")
  }

  private mutating func take(
    _ bytes: ArraySlice<UInt8>, _ number: Int, _ home: String?, _ lines: inout [SettingName: Int]
  ) throws(Mistake) {
    guard let line = String(validating: bytes, as: UTF8.self) else {
      throw Mistake(what: "it is not UTF-8", hint: "write the line again")
    }
    let text = line.drop(while: Self.isBlank)
    guard let first = text.first, first != "#" else { return }
    guard let sign = text.firstIndex(of: "=") else {
      throw .noAssignment
    }
    let written = text[..<sign]
    let word = written.prefix { !Self.isBlank($0) }
    guard written.dropFirst(word.count).allSatisfy(Self.isBlank) else { throw .noAssignment }
    guard let name = SettingName(rawValue: String(word)) else { throw Self.unknown(word) }
    if let earlier = lines[name] {
      throw Mistake(
        what: "it sets \(name.rawValue) a second time, after line \(earlier)",
        hint: "remove one of the two")
    }
    lines[name] = number
    let value = String(text[text.index(after: sign)...].drop(while: Self.isBlank))
    entries[name] = Entry(value: try Self.checked(value, of: name, home), line: number)
  }

  private static func isBlank(_ character: Character) -> Bool {
    character == " " || character == "\t"
  }

  /// A name that is none; not repeated where it may be something else.
  private static func unknown(_ word: Substring) -> Mistake {
    let isWord =
      (1...24).contains(word.utf8.count)
      && word.utf8.allSatisfy { (97...122).contains($0) || $0 == 45 || $0 == 95 }
    return Mistake(
      what: isWord ? "there is no setting \"\(word)\"" : "it names no setting",
      hint: word == "pin"
        ? pinAdvice
        : "the settings are " + SettingName.allCases.map(\.rawValue).joined(separator: ", "))
  }

  private static let pinAdvice =
    "a PIN does not belong here: put it into a file that only you may read, and name that file "
    + "with pin-file"

  /// A value that can be used: a number, or a path from the root.
  private static func checked(
    _ value: String, of name: SettingName, _ home: String?
  ) throws(Mistake) -> String {
    guard !value.isEmpty else {
      throw Mistake(what: "\(name.rawValue) has no value", hint: "remove the line, or complete it")
    }
    guard !value.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else {
      throw Mistake(
        what: "the value of \(name.rawValue) has a control character", hint: "write it again")
    }
    if let seconds = name.seconds {
      let isNumber = value.utf8.count <= 9 && value.utf8.allSatisfy { (48...57).contains($0) }
      guard isNumber, let number = Int(value), seconds.contains(number) else {
        throw Mistake(
          what: "\(name.rawValue) is no number of seconds from \(seconds.lowerBound) to "
            + "\(seconds.upperBound)", hint: "write the number alone, with nothing behind it")
      }
      return value
    }
    if value.hasPrefix("/") { return value }
    if value == "~" || value.hasPrefix("~/") {
      guard let home, home.hasPrefix("/") else {
        throw Mistake(
          what: "\(name.rawValue) begins with ~/, and HOME is not set", hint: "write the whole path"
        )
      }
      return home + value.dropFirst()
    }
    let isQuoted = value.hasPrefix("\"") || value.hasPrefix("'")
    throw Mistake(
      what: "\(name.rawValue) is no path that begins with / or ~/",
      hint: isQuoted
        ? "leave the quotes out" : name == .pinFile ? pinAdvice : "write the whole path")
  }
}

/// The files that were read in a run, by their paths: one value is in force from beginning to end.
private struct KnownSettings {
  var files: [String: SettingsFile] = [:]
}

extension Run {
  fileprivate func settings(_ path: String, _ read: () -> SettingsFile) -> SettingsFile {
    if let known = with(KnownSettings(), { $0.files[path] }) { return known }
    let file = read()
    with(KnownSettings()) { $0.files[path] = file }
    return file
  }
}
