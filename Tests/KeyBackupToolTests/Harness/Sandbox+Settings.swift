import Testing

/// A setting as `config show --json` has it.
struct Shown: Equatable {
  var value: String?
  var source: String?
  var named: String?
  var file: String?
  var line: Int?
  var problem: String?

  init(
    _ value: String?, _ source: String, named: String? = nil, file: String? = nil,
    line: Int? = nil, _ problem: String? = nil
  ) {
    (self.value, self.source, self.named) = (value, source, named)
    (self.file, self.line, self.problem) = (file, line, problem)
  }

  init(_ json: JSON) {
    (value, source, named) = (json["value"].text, json["source"].text, json["named_by"].text)
    (file, line, problem) = (json["file"].text, json["line"].number, json["problem"].text)
  }
}

extension Sandbox {
  var configurationFile: String { home + "/.config/keybackup/keybackup.conf" }

  /// Makes a file another user's.
  func giveAway(_ path: String, to user: String = "54321") async throws {
    let chown = (isRoot ? [] : ["sudo", "-n"]) + ["chown", user, path]
    try await run(chown, key: nil).expectSuccess()
  }

  /// Writes keybackup.conf.
  func configure(_ text: String) throws {
    try place(text, at: ".config/keybackup/keybackup.conf")
  }

  /// Writes what `init` remembers.
  func remember(_ folder: String) throws {
    try place(#"{"folder":"\#(folder)"}"#, at: ".config/keybackup/config.json")
  }

  /// What `config show` says of each setting.
  func settings(
    _ environment: [String: String] = [:], _ options: [String] = []
  ) async throws -> [String: Shown] {
    let json = try await keybackup(
      ["config", "show", "--json"] + options, key: nil, pin: .none, environment: environment
    ).json()
    return Dictionary(
      uniqueKeysWithValues: json["settings"].items.map { ($0["name"].text ?? "", Shown($0)) })
  }
}
