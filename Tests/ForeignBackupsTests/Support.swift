import Foundation
import SecretMemory

/// The files under Tests/Vectors/foreign.
enum Vectors {
  static func bytes(_ name: String, source: String = #filePath) throws -> [UInt8] {
    let folder = source.split(separator: "/").prefix { $0 != "ForeignBackupsTests" }
    let path = "/" + folder.joined(separator: "/") + "/Vectors/foreign/\(name)"
    return try [UInt8](Data(contentsOf: URL(filePath: path)))
  }

  static func decode<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws
    -> Value
  {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(type, from: Data(bytes(name)))
  }
}

/// Bytes for a comparison in a test.
func plain(_ secret: borrowing SecretBytes) -> [UInt8] {
  secret.withBytes { bytes in
    (0..<bytes.byteCount).map { unsafe bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
  }
}

func secret(_ bytes: [UInt8]) -> SecretBytes {
  unsafe SecretBytes(copying: bytes.span.bytes)
}

/// The second opinions in Python, which share no code with the product.
enum Python {
  /// Runs a script of the tests.
  ///
  /// - Parameters:
  ///   - script: its path below Tests.
  ///   - arguments: its arguments.
  ///   - input: what it reads, as JSON; nil: nothing.
  ///   - source: a file below Tests.
  /// - Returns: its exit code and what it printed.
  /// - Throws: the errors of starting it.
  static func run(
    _ script: String, _ arguments: [String], _ input: Any? = nil, source: String = #filePath
  ) throws -> (status: Int32, output: String) {
    let folder = source.split(separator: "/").prefix { $0 != "Tests" }
    let root = URL(filePath: "/" + folder.joined(separator: "/"))
    let process = Process()
    process.executableURL = root.appending(path: ".build-python/bin/python")
    process.arguments = ["-B", root.appending(path: "Tests/\(script)").path] + arguments
    let (give, take) = (Pipe(), Pipe())
    process.standardInput = give
    process.standardOutput = take
    try process.run()
    if let input {
      try give.fileHandleForWriting.write(
        contentsOf: JSONSerialization.data(withJSONObject: input))
    }
    try give.fileHandleForWriting.close()
    let output = try take.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  /// What a script makes, from JSON with names in snake case.
  static func made<Value: Decodable>(_ script: String, _ arguments: [String]) throws -> Value {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Value.self, from: Data(run(script, arguments).output.utf8))
  }
}
