public import FoundationEssentials
import TestSupport
import Testing

/// A program of Tests/reader, in Python, that shares no code with ours.
public struct SecondOpinion: Sendable {
  private let script: String

  /// Names the program.
  public init(_ script: String) { self.script = script }

  private struct Questions<Value: Encodable>: Encodable { let values: [Value] }
  private struct Answers<Value: Decodable>: Decodable { let results: [Value] }

  /// Lets it answer questions, in one run.
  ///
  /// - Parameters:
  ///   - command: its first argument.
  ///   - values: the questions.
  ///   - keys: how it spells the names of an answer's fields.
  ///   - type: the type of an answer.
  /// - Returns: an answer for each.
  /// - Throws: where the program fails, or the environment that scripts/setup makes is missing.
  public func answers<Question: Encodable, Answer: Decodable>(
    _ command: String, _ values: [Question],
    keys: JSONDecoder.KeyDecodingStrategy = .useDefaultKeys, as type: Answer.Type = Answer.self
  ) throws -> [Answer] {
    let file = Repository.root.appending(path: ".build")
      .appending(path: "opinion-\(UUID().uuidString).json")
    try JSONEncoder().encode(Questions(values: values)).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let python = Repository.root.appending(path: ".build-python/bin/python").path
    let program = Repository.root.appending(path: "Tests/reader/\(script)").path
    let run = try FinishedProgram([python, "-B", program, command, file.path])
    try #require(run.code == 0, "\(script) \(command): \(run.output)")
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = keys
    let results = try decoder.decode(Answers<Answer>.self, from: Data(run.output.utf8)).results
    try #require(results.count == values.count)
    return results
  }
}

/// Known answers under Tests/Vectors.
public struct KnownAnswers<Case: Decodable>: Decodable {
  /// The source of the numbers.
  public let source: String
  /// The cases.
  public let cases: [Case]

  /// Reads a file.
  ///
  /// - Throws: when it is missing, empty or of another shape.
  public static func cases(_ path: String) throws -> [Case] {
    let file = Repository.root.appending(path: "Tests/Vectors/\(path)")
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let cases = try decoder.decode(Self.self, from: Data(contentsOf: file)).cases
    try #require(!cases.isEmpty)
    return cases
  }
}

enum Repository {
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
