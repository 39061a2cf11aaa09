import Foundation
import Testing

/// Gives every decoder once more the inputs that `make fuzz-formats` has kept.
///
/// This happens in a process of its own, so that a crash names the input.
@Suite struct FormatCorpusTests {
  private static let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()
  private static let corpus = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "FormatCorpus")

  private func run(_ argument: String) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = Self.products.appending(path: "format-fuzz")
    process.arguments = [argument]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  @Test(.timeLimit(.minutes(60))) func `Every kept input is accepted or refused`() throws {
    let targets = try run("list").output.split(separator: "\n")
    #expect(targets.count >= 10)
    let (status, output) = try run(Self.corpus.path)
    #expect(status == 0, "format-fuzz FOLDER names the input")
    let lines = output.split(separator: "\n").map { $0.split(separator: " ") }
    #expect(lines.map(\.first) == targets)
    for line in lines {
      try #require(line.count == 3)
      let kept = try FileManager.default.contentsOfDirectory(
        atPath: Self.corpus.appending(path: String(line[0])).path)
      #expect(Int(line[1]) == kept.count)
      // Both ends are in it.
      #expect((1..<kept.count).contains(Int(line[2]) ?? 0), "\(line)")
    }
  }
}
