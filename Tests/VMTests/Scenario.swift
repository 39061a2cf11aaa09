import Foundation
import Testing

/// A scenario of Tests/VM/scenarios, and the output of its steps.
///
/// The first test that asks for a scenario boots the virtual machine; the others share its results.
struct Scenario: Sendable {
  static let permissions = Scenario(name: "permissions")
  static let keys = Scenario(name: "keys")
  static let suspend = Scenario(name: "suspend")
  /// The device suite on one bus.
  static func deviceSuite(_ bus: String) -> Scenario { Scenario(name: "device-suite", bus: bus) }

  let name: String
  var bus: String?

  fileprivate var title: String { ([name] + (bus.map { [$0] } ?? [])).joined(separator: "-") }

  /// Where the machine leaves its results; they are kept for anyone who wants to look.
  fileprivate var results: URL { Repository.root.appending(path: ".build/vm/results/\(title)") }

  /// One step of the scenario.
  ///
  /// - Throws: `VMFailure` if the machine did not get through the scenario.
  func step(_ name: String) async throws -> Step {
    try await Machine.shared.finish(self)
    return try Step(name, in: results)
  }
}

/// The output of a program in a scenario.
struct Step: Sendable {
  let code: Int
  let out: String
  let err: String
  /// Its time in seconds, by the virtual machine's clock; zero for a part of a step.
  let seconds: Double
  /// A description of what went wrong, for a test's message.
  var text: String { "exit code \(code)\n\(out)\n\(err)" }

  fileprivate init(_ name: String, in results: URL) throws {
    func read(_ kind: String) -> String? {
      let data = try? Data(contentsOf: results.appending(path: "\(name).\(kind)"))
      return data.map { String(decoding: $0, as: UTF8.self) }
    }
    guard let code = read("code").flatMap({ Int($0.dropLast()) }) else {
      throw VMFailure(description: "the scenario did not come to \(name)")
    }
    self.code = code
    out = read("out") ?? ""
    err = read("err") ?? ""
    seconds = read("seconds").flatMap { Double($0.dropLast()) } ?? 0
  }

  /// The lines NAME=VALUE of the output.
  var properties: [String: String] {
    var found: [String: String] = [:]
    for line in out.split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1)
      if parts.count == 2 { found[String(parts[0])] = String(parts[1]) }
    }
    return found
  }
}

/// The reason why there are no results.
struct VMFailure: Error, CustomStringConvertible {
  let description: String
}

/// Runs scenarios: each once, and two at a time.
private actor Machine {
  static let shared = Machine()

  /// The time limit in seconds: far more than a scenario takes on a slow and busy computer.
  ///
  /// It ends what hangs.
  private static let limit = 3600

  private var runs: [String: Task<Void, any Error>] = [:]
  private var places = 2
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func finish(_ scenario: Scenario) async throws {
    let run = runs[scenario.title] ?? start(scenario)
    try await run.value
  }

  private func start(_ scenario: Scenario) -> Task<Void, any Error> {
    let run = Task {
      await enter()
      defer { leave() }
      // On its own thread, so that other tests go on.
      try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<Void, any Error>) in
        Thread.detachNewThread {
          continuation.resume(with: Result { try Self.boot(scenario) })
        }
      }
    }
    runs[scenario.title] = run
    return run
  }

  private func enter() async {
    if places > 0 {
      places -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  private func leave() {
    if waiting.isEmpty { places += 1 } else { waiting.removeFirst().resume() }
  }

  private static func boot(_ scenario: Scenario) throws {
    let results = scenario.results
    try? FileManager.default.removeItem(at: results)
    try FileManager.default.createDirectory(at: results, withIntermediateDirectories: true)
    let log = results.appending(path: "log")
    try Data().write(to: log)
    let output = try FileHandle(forWritingTo: log)
    let process = Process()
    process.executableURL = Repository.root.appending(path: "Tests/VM/run")
    process.currentDirectoryURL = Repository.root
    process.arguments =
      [
        "--results", results.path, "--limit", "\(limit)", "--", "sh",
        Repository.root.appending(path: "Tests/VM/scenarios/\(scenario.name)").path,
        Repository.keybackup, Repository.programs.path,
      ] + (scenario.bus.map { [$0] } ?? [])
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let said = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
      throw VMFailure(description: "Tests/VM/run: \(process.terminationStatus)\n\(said)")
    }
  }
}

/// The places of files.
enum Repository {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The program under test: the one that KEYBACKUP_TEST_PROGRAM names, as `make test` does.
  static let keybackup =
    ProcessInfo.processInfo.environment["KEYBACKUP_TEST_PROGRAM"]
    ?? programs.appending(path: "keybackup").path

  /// The folder of the other programs: that of the test bundle.
  static let programs: URL = {
    let bundle = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    let candidates = CommandLine.arguments.filter { $0.hasSuffix(".xctest") }
      .map { URL(filePath: $0) }
    return ([bundle] + candidates).map { $0.deletingLastPathComponent() }
      .first {
        FileManager.default.isExecutableFile(atPath: $0.appending(path: "virtual-key").path)
      } ?? root.appending(path: ".build/debug")
  }()
}
