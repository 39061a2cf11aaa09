import Foundation
import Testing

/// Runs the inputs that the fuzzer has kept once more; `make fuzz` adds to them.
///
/// They run in a process of their own, so that a crash names the input.
@Suite struct FuzzCorpusTests {
  private static let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()
  private static let corpus = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "FuzzCorpus")

  private func run(_ inputs: URL) throws -> (status: Int32, outcomes: [String: String]) {
    let process = Process()
    process.executableURL = Self.products.appending(path: "client-fuzz")
    process.arguments = [inputs.path]
    let output = Pipe()
    let errors = Pipe()
    (process.standardOutput, process.standardError) = (output, errors)
    try process.run()
    // Only names are written here; they fit into the pipe or are read by then.
    let named = Task.detached { try? errors.fileHandleForReading.readToEnd() }
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    withExtendedLifetime(named) {}
    var outcomes: [String: String] = [:]
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
      if parts.count == 2 { outcomes[parts[0]] = parts[1] }
    }
    return (process.terminationStatus, outcomes)
  }

  @Test(.timeLimit(.minutes(60))) func `Every kept input ends with a result or an error`() throws {
    let kept = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path)
    let (status, outcomes) = try run(Self.corpus)
    #expect(status == 0)
    #expect(outcomes.count >= kept.count)
    // Both ends are covered: success, and every kind of failure.
    let seen = Set(outcomes.values.map { String($0.prefix { $0 != "(" }) })
    for one in ["done", "protocolViolation", "transport", "prfNotDelivered", "pinAuthInvalid"] {
      #expect(seen.contains { $0.hasPrefix(one) }, "\(one) is never reached: \(seen)")
    }
  }

  /// An input of zeros is a good key: each use works, over USB and as a card.
  @Test func `Without edits the simulated key is a good one`() throws {
    let folder = URL(filePath: NSTemporaryDirectory()).appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for use in UInt8(0)...12 {
      for kind in [UInt8(0), 0x01, 0x20] {
        try Data([use, kind, 0]).write(to: folder.appending(path: "\(use)-\(kind)"))
      }
    }
    let (status, outcomes) = try run(folder)
    #expect(status == 0)
    for (input, outcome) in outcomes where input != "inputs:" {
      // A list that excludes the key's credential, and a PIN that is set already.
      let use = URL(filePath: input).lastPathComponent.prefix { $0 != "-" }
      let expected = ["6": "credentialExcluded", "11": "pinAlreadySet"][String(use)] ?? "done"
      #expect(outcome == expected, "\(input)")
    }
  }
}
