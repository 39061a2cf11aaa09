import Foundation
import PRFDevice

/// Runs this program again, as another client of the same key.
public enum SecondProcess {
  /// The argument that makes the program call ``answer(_:)`` with the next one.
  public static let argument = "second-process"

  /// The other process's result of opening the key at this path.
  static func open(_ path: String) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      // Waiting for a process blocks, so it must not happen on a thread of Swift's pool.
      Thread.detachNewThread {
        continuation.resume(with: Result { try run(path) })
      }
    }
  }

  private static func run(_ path: String) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = [argument, path]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
  }

  /// The other process's part: opens the key and returns the result.
  public static func answer(_ path: String) async -> String {
    do throws(PRFDeviceError) {
      let key = try await Authenticator.open(try await AuthenticatorList.authenticator(at: path))
      await key.close()
      return "opened"
    } catch {
      return "\(error)"
    }
  }
}
