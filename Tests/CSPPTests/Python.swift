import Foundation
import Testing

/// Runs a script of Tests/reader.
enum Python {
  private static let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Gives a script its arguments, and takes its standard output as JSON.
  static func run(_ script: String, _ arguments: [String]) throws -> [String: Any] {
    let process = Process()
    // Without the environment that scripts/setup makes, the test fails here.
    process.executableURL = repository.appending(path: ".build-python/bin/python")
    process.arguments =
      ["-B", repository.appending(path: "Tests/reader/\(script)").path] + arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(script) \(arguments.first ?? "")")
    return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  /// Gives a script a command and its values in a file.
  static func run(
    _ script: String, _ command: String, _ values: [String: Any]
  ) throws -> [String: Any] {
    let file = URL.temporaryDirectory.appending(path: "sealed-\(UUID().uuidString).json")
    try JSONSerialization.data(withJSONObject: values).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try run(script, [command, file.path])
  }

  /// Gives the reader of sealed operations a command and values for each time.
  static func each(_ command: String, _ values: [[String: Any]]) throws -> [[String: Any]] {
    let read = try run("sealed_reader.py", "each", ["command": command, "values": values])
    let results = try #require(read["results"] as? [[String: Any]])
    try #require(results.count == values.count)
    return results
  }
}
