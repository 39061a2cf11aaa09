import Glibc
import Testing

/// Three computers with one synced folder: one with a security key, a server without, a new one.
struct FileComputers: Sendable {
  let backup: PreparedBackup
  var box: Sandbox { backup.box }
  /// Where the computer with the security key has files.
  var files: String { box.home + "/files" }
  var serverHome: String { box.root + "/server" }

  init() async throws {
    backup = try await PreparedBackup()
    for name in [files, serverHome, box.root + "/third"] { try Files.makeFolder(name) }
  }

  /// Runs keybackup where no security key is.
  @discardableResult
  func server(
    _ arguments: [String], input: String = "", home: String? = nil, expecting: Int32? = 0,
    at location: SourceLocation = #_sourceLocation
  ) async throws -> Outcome {
    try await box.keybackup(
      arguments, key: nil, pin: .none, input: Array(input.utf8), home: home ?? serverHome,
      expecting: expecting, at: location)
  }

  /// Runs keybackup with the security key.
  @discardableResult
  func laptop(
    _ arguments: [String], input: String = "", expecting: Int32? = 0,
    at location: SourceLocation = #_sourceLocation
  ) async throws -> Outcome {
    try await box.keybackup(
      arguments, input: Array(input.utf8), expecting: expecting, at: location)
  }

  /// Runs keybackup with the security key on a computer that knows nothing.
  @discardableResult
  func third(
    _ arguments: [String], expecting: Int32? = 0, at location: SourceLocation = #_sourceLocation
  ) async throws -> Outcome {
    try await box.keybackup(
      arguments, home: box.root + "/third", expecting: expecting, at: location)
  }

  /// Makes the server a silent writer.
  ///
  /// - Returns: the answer to its request.
  @discardableResult
  func authoriseServer(label: String = "node", may: String? = nil) async throws -> JSON {
    let request = try await server(["writers", "request", "--label", label, "--json"]).json()
    let line = try #require(request["line"].text)
    let answer = try await laptop(
      ["writers", "authorise", line, "--yes", "--json"] + (may.map { ["--may", $0] } ?? [])
    ).json()
    #expect(answer["request_fingerprint"] == request["fingerprint"])
    let accepted = try await server(
      ["writers", "accept", try #require(answer["line"].text), "--yes", "--json"]
    ).json()
    #expect(accepted["fingerprint"] == answer["fingerprint"])
    return answer
  }

  /// Writes a file and adds it on the server.
  @discardableResult
  func serverAdds(
    _ text: String, as name: String = "channel.backup", home: String? = nil,
    at location: SourceLocation = #_sourceLocation
  ) async throws -> JSON {
    let path = (home ?? serverHome) + "/" + name
    try Files.write(text, to: path)
    // A copy of a computer has its files under the same paths, unlike here.
    let more = home == nil ? [] : ["--replace"]
    return try await server(
      ["file", "add", path, "--json"] + more, home: home, at: location
    ).json()["files"][0]
  }

  /// A new folder to restore into.
  func target(_ name: String = "out") -> String { box.root + "/" + name }
}

extension Files {
  /// The time of a file's last change in Unix seconds.
  static func modified(_ path: String) -> Int {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return -1 }
    return status.st_mtim.tv_sec
  }

  static func setModified(_ path: String, _ seconds: Int) throws {
    let time = timespec(tv_sec: seconds, tv_nsec: 0)
    guard unsafe utimensat(AT_FDCWD, path, [time, time], 0) == 0 else {
      throw SystemFailure(path)
    }
  }
}
