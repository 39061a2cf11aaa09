public import Foundation
import TestSupport

/// Runs behaviours on a route, each on its own keys.
public enum RouteRun {
  /// Runs one behaviour that applies to the route.
  ///
  /// - Parameters:
  ///   - behaviour: the behaviour.
  ///   - route: the route to its keys.
  ///   - programs: the folder of `virtual-key` and `device-suite`.
  /// - Returns: the outcome.
  public static func outcome(
    of behaviour: Behaviour, on route: Route, programs: URL
  ) async -> Outcome {
    do {
      if route == .inProcess {
        return await behaviour.run(with: try .inProcess(for: behaviour))
      }
      return try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread {
          continuation.resume(with: Result { try run(behaviour, route, programs) })
        }
      }
    } catch {
      return failed(behaviour, route, "\(error)")
    }
  }

  private static func failed(_ behaviour: Behaviour, _ route: Route, _ detail: String) -> Outcome {
    Outcome(
      behaviour: behaviour.name, route: route, passed: false, detail: detail, seconds: 0)
  }

  /// Runs it in a separate process, started by `virtual-key`.
  private static func run(
    _ behaviour: Behaviour, _ route: Route, _ programs: URL
  ) throws -> Outcome {
    let process = Process()
    process.executableURL = programs.appending(path: "virtual-key")
    let keys = behaviour.keys.flatMap { ["--key", ([""] + $0).joined(separator: ",")] }
    process.arguments =
      ["--bus", route.rawValue] + (keys.isEmpty ? ["--no-key"] : keys)
      + ["--", programs.appending(path: "device-suite").path]
      + ["run", behaviour.name, "--route", route.rawValue]
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let end = Timer(process)
    let complaints = Reader(errors)
    let text = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    end.cancel()
    if let outcome = Outcome.all(in: text).first { return outcome }
    return failed(
      behaviour, route,
      "no outcome, exit code \(process.terminationStatus): \(text)\(complaints.text)")
  }

  /// Kills a process that does not end.
  private struct Timer {
    private let item: DispatchWorkItem

    init(_ process: Process) {
      let number = process.processIdentifier
      item = DispatchWorkItem { kill(number, SIGKILL) }
      DispatchQueue.global().asyncAfter(
        deadline: .now() + .seconds(Backstop.seconds), execute: item)
    }

    func cancel() { item.cancel() }
  }

  /// Reads a pipe to its end, on its own thread.
  private final class Reader: @unchecked Sendable {
    private let group = DispatchGroup()
    // Written before the group is left, and read after that.
    private var data = Data()

    init(_ pipe: Pipe) {
      let file = pipe.fileHandleForReading
      group.enter()
      Thread.detachNewThread { [self] in
        data = (try? file.readToEnd()) ?? Data()
        group.leave()
      }
    }

    var text: String {
      group.wait()
      return String(decoding: data, as: UTF8.self)
    }
  }
}
