import FoundationEssentials
import TestSupport
import Testing

/// The programs of Tests/guards, in Python, that run beside tests.
enum GuardScript {
  /// The Python with the packages of Tests/requirements.txt.
  static var python: String { Repository.root.appending(path: ".build-python/bin/python").path }

  /// The path of a program.
  static func path(_ name: String) -> String {
    Repository.root.appending(path: "Tests/guards/\(name)").path
  }

  /// The line of JSON that a program writes once it is ready.
  static func description<Value: Decodable>(
    _ program: LineProgram, as type: Value.Type
  ) async throws -> Value {
    let line = try #require(
      try await program.line(), "the program ended: see its error above")
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(type, from: Data(line.utf8))
  }
}
