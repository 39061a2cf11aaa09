import Testing

/// One of several computers in a sandbox: a home with its own state, and the command that runs
/// there.
struct SyncedComputer: Sendable {
  let box: Sandbox
  let name: String
  /// The backup folder.
  let folder: String
  /// The command that runs a program where this computer's folder can be seen.
  var prefix: [String] = []

  var home: String { box.root + "/" + name }
  /// The memory of the security key that is plugged in here.
  var keyState: String { home + "/key.json" }

  /// Gives another computer a copy of this one's security key, so that both may use it at the same
  /// time.
  func lendKey(to other: SyncedComputer) throws { try Files.copy(keyState, to: other.keyState) }

  /// Runs keybackup; `expecting` nil allows any exit code.
  @discardableResult
  func keybackup(
    _ arguments: [String], input: String = "", withKey: Bool = true, expecting: Int32? = 0,
    at location: SourceLocation = #_sourceLocation
  ) async throws -> Outcome {
    var command = prefix
    if withKey {
      command += [Build.virtualKey, "--state", keyState, "--pin", Sandbox.pin, "--"]
    }
    command += [Build.keybackup] + arguments
    if withKey { command += ["--pin-file", box.pinFile] }
    let outcome = try await box.run(
      command, key: nil, input: Array(input.utf8), home: home,
      environment: ["KEYBACKUP_FOLDER": folder, "XDG_RUNTIME_DIR": home + "/run"])
    if let expecting {
      #expect(
        outcome.code == expecting, "\(name): \(arguments.joined(separator: " ")): \(outcome.text)",
        sourceLocation: location)
    }
    return outcome
  }

  /// Adds or changes a wallet.
  func write(_ id: String, _ name: String, at location: SourceLocation = #_sourceLocation)
    async throws
  {
    try await keybackup(
      ["wallet", "import", "-"], input: Samples.entry(id: id, name: name), at: location)
  }

  /// The answer of `status --synchronised`.
  func isSynchronised() async throws -> (JSON, engineSays: String, code: Int32) {
    let outcome = try await keybackup(
      ["status", "--json", "--synchronised"], withKey: false, expecting: nil)
    let json = try outcome.json()
    return (json["synchronised"], json["engine_says"].text ?? outcome.text, outcome.code)
  }

  /// The names of the restored wallets, of every version, sorted.
  func restored(
    expecting: Int32? = 0, at location: SourceLocation = #_sourceLocation
  ) async throws -> [String] {
    let place = home + "/restored"
    try? Files.remove(place)
    try await keybackup(["restore", "--out", place], expecting: expecting, at: location)
    return try Files.tree(place).map { file in
      try JSON(Files.read(place + "/" + file))["metadata"]["name"].text ?? "?"
    }.sorted()
  }

  /// The number of wallets in each state, by `verify --deep`.
  func deep(
    expecting: Int32, at location: SourceLocation = #_sourceLocation
  ) async throws -> [String: Int] {
    let outcome = try await keybackup(
      ["verify", "--deep", "--json"], expecting: expecting, at: location)
    guard case .object(let states) = try outcome.json()["wallets"] else { return [:] }
    return states.compactMapValues(\.number).filter { $0.value > 0 }
  }
}

/// Runs `status` on computers again and again while a test changes them.
struct StatusWatch: Sendable {
  /// The exit codes of `status`, with the text for each.
  private let watching: Task<[Int32: String], any Error>

  init(_ computers: [SyncedComputer]) {
    watching = Task {
      var seen: [Int32: String] = [:]
      while !Task.isCancelled {
        for computer in computers {
          let outcome = try await computer.keybackup(["status"], withKey: false, expecting: nil)
          seen[outcome.code] = seen[outcome.code] ?? outcome.text
        }
        try? await Task.sleep(for: .milliseconds(1000))
      }
      return seen
    }
  }

  /// Ends the watch and expects that no other exit codes than these appeared.
  func end(
    expecting codes: Set<Int32>, at location: SourceLocation = #_sourceLocation
  ) async throws {
    watching.cancel()
    for (code, text) in try await watching.value where !codes.contains(code) {
      Issue.record("status ended with \(code): \(text)", sourceLocation: location)
    }
  }
}
