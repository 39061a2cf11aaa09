import FoundationEssentials
import Glibc
import Testing

/// The places of files, relative to this file.
enum Repository {
  static func path(_ relative: String) -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    return root.standardizedFileURL.path + "/" + relative
  }

  /// The tool, which SwiftPM builds beside the test bundle.
  static var virtualKey: String {
    let bundle =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let arguments = CommandLine.arguments
    // Run by swift test, the bundle's path is an argument or the executable itself.
    let candidates = arguments.filter { $0.hasSuffix(".xctest") } + [bundle]
    for candidate in candidates {
      let tool = URL(filePath: candidate).deletingLastPathComponent().path + "/virtual-key"
      if unsafe access(tool, X_OK) == 0 { return tool }
    }
    return path(".build/debug/virtual-key")
  }

  /// The interpreter with the packages of Tests/requirements.txt.
  static func python() throws -> String {
    let python = path(".build-python/bin/python")
    try #require(unsafe access(python, X_OK) == 0, "no \(python): run scripts/setup-python")
    return python
  }
}

/// A program that runs while the test continues.
struct Program {
  let process: pid_t
  private let output: Int32

  struct Result {
    /// The exit code, or minus the signal's number.
    let status: Int32
    /// stdout and stderr together.
    let output: String
  }

  /// Starts a program with `input` as its stdin.
  init(_ path: String, _ arguments: [String], input: String = "") throws {
    var ends: [Int32] = [-1, -1]
    // Sockets, because they can be made close-on-exec from the start. Other tests start programs at
    // the same time.
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    try #require(unsafe socketpair(AF_UNIX, type, 0, &ends) == 0)
    var feed: [Int32] = [-1, -1]
    try #require(unsafe socketpair(AF_UNIX, type, 0, &feed) == 0)
    defer {
      close(ends[1])
      close(feed[0])
      close(feed[1])
    }
    unsafe input.utf8CString.withUnsafeBufferPointer { bytes in
      _ = unsafe write(feed[1], bytes.baseAddress, bytes.count - 1)
    }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, feed[0], 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
    var words: [UnsafeMutablePointer<CChar>?] = unsafe ([path] + arguments).map {
      unsafe strdup($0)
    }
    unsafe words.append(nil)
    defer { for index in unsafe words.indices { unsafe free(words[index]) } }
    // As a terminal starts it: whoever runs the tests in the background may have these ignored.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for signal in [SIGINT, SIGHUP, SIGQUIT] { unsafe sigaddset(&signals, signal) }
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var process: pid_t = 0
    let code = unsafe posix_spawn(&process, path, &actions, &attributes, words, environ)
    try #require(code == 0, "cannot run \(path): \(code)")
    self.process = process
    output = ends[0]
  }

  /// Waits until the program has written a text, or has ended.
  func wait(for text: String) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe recv(output, &buffer, buffer.count, Int32(MSG_PEEK))
      if count <= 0 || String(decoding: buffer.prefix(count), as: UTF8.self).contains(text) {
        return
      }
      usleep(1000)
    }
  }

  /// Waits for the end.
  func wait() -> Result {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe read(output, &buffer, buffer.count)
      guard count > 0 else { break }
      bytes += buffer.prefix(count)
    }
    close(output)
    var status: Int32 = 0
    unsafe waitpid(process, &status, 0)
    let signal = status & 0x7F
    return Result(
      status: signal == 0 ? (status >> 8) & 0xFF : -signal,
      output: String(decoding: bytes, as: UTF8.self))
  }

  static func run(
    _ path: String, _ arguments: [String], input: String = ""
  ) throws -> Result {
    try Program(path, arguments, input: input).wait()
  }
}
