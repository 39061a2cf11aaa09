internal import CLinux
internal import CommandKit
internal import Glibc
internal import SyncFolders

/// A setting as `config show` prints it.
struct ShownSetting {
  var setting: Setting
  /// Whether the value is one, not words about there being none.
  var isValue = true
  /// The fault of the file that it names; nil: none.
  var remark: String?

  init(_ setting: Setting, isValue: Bool = true, remark: String? = nil) {
    self.setting = setting
    self.isValue = isValue
    self.remark = remark
  }

  /// One whose value may be a PIN.
  init(hiding setting: Setting, remark: String) {
    self.init(
      Setting(name: setting.name, value: "not shown", origin: setting.origin), isValue: false,
      remark: remark)
  }

  /// One that nobody set.
  init(standard name: SettingName, _ words: String, remark: String? = nil) {
    self.init(
      Setting(name: name, value: words, origin: .standard), isValue: name == .timeout,
      remark: remark)
  }

  private var source: String {
    switch setting.origin {
    case .option(let name), .variable(let name): name
    case .file(_, let line): "\(SettingsFile.name), line \(line)"
    case .credential: "$CREDENTIALS_DIRECTORY"
    case .remembered: "keybackup init"
    case .found(let title): "found: \(title)"
    case .standard: "default"
    }
  }

  /// The value comes last: a long path widens no other line.
  var cells: [String] {
    [
      setting.name.rawValue, source,
      PrintableText.clean(setting.value, limit: 300) + (remark.map { " (\($0))" } ?? ""),
    ]
  }

  var json: JSONOutput {
    var json: JSONOutput = [
      "name": .string(setting.name.rawValue),
      "value": isValue ? .string(setting.value) : .null, "source": .string(setting.origin.word),
      "problem": .optional(remark),
    ]
    switch setting.origin {
    case .option(let name), .variable(let name): json["named_by"] = .string(name)
    case .file(let path, let line):
      json["file"] = .string(path)
      json["line"] = .number(line)
    case .found(let title): json["named_by"] = .string(title)
    case .credential, .remembered, .standard: break
    }
    return json
  }
}

/// All settings and what is wrong with them.
struct SettingsReport {
  private let file: SettingsFile
  private var shown: [ShownSetting] = []
  private var problems: [UserMessage]

  init(_ file: SettingsFile) {
    self.file = file
    problems = file.problems
  }

  /// Adds a setting; a failure to find it is a problem, and the others are shown.
  mutating func add(_ name: SettingName, _ look: () throws(UserMessage) -> ShownSetting) {
    do throws(UserMessage) {
      shown.append(try look())
    } catch {
      problems.append(error)
      shown.append(ShownSetting(standard: name, "not known", remark: "see below"))
    }
  }

  /// Prints them.
  ///
  /// - Returns: `config` when something is wrong.
  func print(_ output: Output) throws(UserMessage) -> ExitReason {
    if output.json {
      try output.result(json: json)
      return problems.isEmpty ? .success : .config
    }
    try output.result(
      Table(
        columns: [Table.Column("SETTING"), Table.Column("FROM"), Table.Column("VALUE")],
        rows: shown.map(\.cells)))
    if let path = file.path {
      try output.result("")
      try output.result(
        "File: \(PrintableText.name(path, limit: 300))\(file.exists ? "" : " (does not exist)")")
    }
    for problem in problems {
      output.warn(problem)
    }
    return problems.isEmpty ? .success : .config
  }

  private var json: JSONOutput {
    var json: JSONOutput = [
      "file": .optional(file.path), "file_exists": .bool(file.exists),
      "settings": .array(shown.map(\.json)),
    ]
    json["problems"] = .array(
      problems.map { ["message": .string($0.message), "hint": .optional($0.hint)] })
    if let first = problems.first {
      json["error"] = [
        "code": .string(first.word), "message": .string(first.message),
        "hint": .optional(first.hint),
      ]
    }
    return json
  }
}

/// The faults of files and folders that settings name; nil: there is none.
///
/// Each may lie on a mount that does not answer.
enum FileLook {
  private static let patience = 1.0
  /// Nothing is there.
  static let absent = "does not exist"

  private static func answer(_ look: @escaping @Sendable () -> String?) -> String? {
    guard let found = TimeLimit.result(within: patience, of: { (look(), true) }) else {
      return "does not answer"
    }
    return found.0
  }

  static func folder(_ path: String) -> String? {
    answer {
      guard let mode = mode(path) else { return absent }
      return mode & S_IFMT == S_IFDIR ? nil : "is no folder"
    }
  }

  static func pinFile(_ path: String, isRegular: Bool) -> String? {
    answer {
      guard let (mode, owner) = status(path) else { return absent }
      if mode & S_IFMT == S_IFREG {
        if owner != 0, owner != geteuid() { return "belongs to somebody else" }
        return mode & 0o077 == 0 ? nil : "others can read it"
      }
      return isRegular || mode & S_IFMT == S_IFDIR ? "is no regular file" : nil
    }
  }

  static func program(_ name: String, _ environment: [String: String]) -> String? {
    answer {
      guard name.contains("/") else {
        return HelperProgram.exists(name, environment) ? nil : absent
      }
      guard mode(name) != nil else { return absent }
      return unsafe access(name, X_OK) == 0 ? nil : "cannot be run"
    }
  }

  private static func mode(_ path: String) -> mode_t? { status(path)?.mode }

  private static func status(_ path: String) -> (mode: mode_t, owner: uid_t)? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? (status.st_mode, status.st_uid) : nil
  }
}
