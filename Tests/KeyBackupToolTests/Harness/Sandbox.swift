import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// The surroundings of one test: a home, a synced folder, a security key, and the command.
///
/// Everything lies in a temporary folder that is deleted with the last reference.
final class Sandbox: Sendable {
  /// So long that it cannot appear in an output by accident.
  static let pin = "pin-7391-quokka"

  let root: String
  var home: String { root + "/home" }
  /// The synced folder.
  var folder: String { root + "/cloud" }
  var pinFile: String { root + "/pin" }
  /// The memory of the key that is plugged in unless a test says otherwise.
  var keyState: String { root + "/key.json" }
  /// The record of the requests to the key, over all runs.
  var tracePath: String { root + "/trace" }

  init() throws {
    var template = Array("/tmp/keybackup-test.XXXXXX".utf8CString)
    guard let made = unsafe mkdtemp(&template) else { throw SystemFailure("mkdtemp") }
    root = unsafe String(cString: made)
    for name in ["home", "cloud", "tmp"] { try Files.makeFolder(root + "/" + name) }
    try Files.write(Self.pin + "\n", to: root + "/pin", mode: 0o600)
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  // MARK: Running

  /// The source of the PIN.
  enum PINGiven: Sendable {
    case file
    case descriptor(String)
    case none
  }

  /// Whether a command asks no key for a PIN, and refuses options for one.
  private static func refusesPIN(_ arguments: [String]) -> Bool {
    if arguments.first == "devices" { return true }
    if arguments.first == "verify", !arguments.contains("--deep") { return true }
    // Guards open the backup then, and only these use a key too.
    let usesKey =
      ["guard", "foreign", "file"].contains(arguments.first)
        || arguments.starts(with: ["key", "add"])
      ? !arguments.starts(with: ["guard", "reset"]) : false
    return !usesKey
      && arguments.contains {
        ["--guard-pin", "--guard-pin-file", "--guard-pin-fd", "--guard-login"].contains($0)
      }
  }

  /// Runs `keybackup` with the simulated key in view and waits for its end.
  ///
  /// `key` are options of `virtual-key` (nil: no simulated bus at all). `wrapper` is a command that
  /// runs keybackup, such as setpriv. With `expecting` nil the caller checks the exit code. The
  /// output is searched for every known secret, unless `secrets` allows them.
  @discardableResult
  func keybackup(
    _ arguments: [String], key: [String]? = [], pin: PINGiven = .file, input: [UInt8] = [],
    home: String? = nil, environment: [String: String] = [:], wrapper: [String] = [],
    terminal: [TerminalStep]? = nil, meanwhile: [TerminalStep] = [], columns: UInt16 = 1000,
    standardOutput: ChildProcess.StandardOutput = .captured,
    expecting: Int32? = 0, secrets: Bool = false,
    at location: SourceLocation = #_sourceLocation
  ) async throws -> Outcome {
    var command = wrapper + [Build.keybackup] + arguments
    var descriptor9: [UInt8]?
    switch pin {
    case .file where Self.refusesPIN(arguments): break
    case .file: command += ["--pin-file", pinFile]
    case .descriptor(let text):
      command += ["--pin-fd", "9"]
      descriptor9 = Array((text + "\n").utf8)
    case .none: break
    }
    let outcome = try await run(
      command, key: key, input: input, descriptor9: descriptor9, home: home,
      environment: environment, terminal: terminal, meanwhile: meanwhile, columns: columns,
      standardOutput: standardOutput)
    if let expecting {
      #expect(
        outcome.code == expecting, "\(arguments.joined(separator: " ")): \(outcome.text)",
        sourceLocation: location)
    }
    if !secrets {
      for secret in Samples.secrets {
        #expect(!outcome.text.contains(secret), "a secret was shown", sourceLocation: location)
      }
    }
    return outcome
  }

  /// Runs any command with the simulated key in view.
  func run(
    _ command: [String], key: [String]? = [], input: [UInt8] = [], descriptor9: [UInt8]? = nil,
    home: String? = nil, environment: [String: String] = [:], terminal: [TerminalStep]? = nil,
    meanwhile: [TerminalStep] = [], columns: UInt16 = 1000,
    standardOutput: ChildProcess.StandardOutput = .captured
  ) async throws -> Outcome {
    var all = command
    if let key { all = virtualKey(key) + all }
    var variables = [
      "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": home ?? self.home,
      "TMPDIR": root + "/tmp", "LANG": "C.UTF-8", "TERM": "xterm", "KEYBACKUP_FOLDER": folder,
    ]
    variables.merge(environment) { $1 }
    let process = ChildProcess(
      command: all, environment: variables, input: input, descriptor9: descriptor9,
      terminal: terminal, meanwhile: meanwhile, columns: columns, standardOutput: standardOutput)
    return try await process.run()
  }

  /// `virtual-key` with a key that keeps its memory, unless the options name other keys.
  private func virtualKey(_ options: [String]) -> [String] {
    var command = [Build.virtualKey, "--trace", tracePath]
    let others = ["--key", "--no-key", "--state"]
    if !options.contains(where: others.contains) { command += ["--state", keyState] }
    if !options.contains("--pin"), !options.contains("no-pin") { command += ["--pin", Self.pin] }
    return command + options.filter { $0 != "no-pin" } + ["--"]
  }

  // MARK: What the key saw

  /// The lines of the key's trace, over all runs.
  var trace: [String] {
    let text = (try? Files.read(tracePath)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  /// The requests that the key got while `body` ran.
  func traced(_ body: () async throws -> Void) async throws -> [String] {
    let before = trace.count
    try await body()
    return Array(trace.dropFirst(before))
  }
}

/// The programs under test.
enum Build {
  /// The program to test, which lies beside the tests.
  ///
  /// KEYBACKUP_TEST_PROGRAM names another one: `make test` uses it for the installed program.
  static let keybackup =
    ProcessInfo.processInfo.environment["KEYBACKUP_TEST_PROGRAM"] ?? BuiltProduct.path("keybackup")
  static let virtualKey = BuiltProduct.path("virtual-key")
  static let deviceSuite = BuiltProduct.path("device-suite")

  /// The repository.
  static let root: String = {
    var parts = #filePath.split(separator: "/").dropLast(4)
    return "/" + parts.joined(separator: "/")
  }()
}
