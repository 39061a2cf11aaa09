import Glibc

/// The longest time that a test waits for anything.
///
/// Only a hang lasts longer: a computer with a load of 20 takes thirty times as long as an idle one. So what a
/// test simulates as a hang has to last longer than this.
public enum Backstop {
  /// The time in seconds.
  public static let seconds = 3600
  /// The time in milliseconds.
  public static let milliseconds = 1000 * seconds
  /// The time as a duration.
  public static let duration = Duration.seconds(seconds)
}

/// An expected event did not happen.
public struct NotInTime: Error, CustomStringConvertible {
  /// A description of the event, and the reason why it is not there.
  public let description: String

  /// Describes an event that did not happen.
  public init(_ description: String) { self.description = "not in time: " + description }
}

/// The wait of a test: it goes on until the event is there, and never for a time.
private struct Wait {
  let what: String
  let place: String
  let end = ContinuousClock.now + Backstop.duration

  /// Judges one look at the event, which began at a time; the task may have slept since then.
  func goesOn(_ reason: String?, lookedAt time: ContinuousClock.Instant) throws -> Bool {
    guard let reason else { return false }
    guard time < end else { throw NotInTime("\(what) (\(place)): \(reason)") }
    return true
  }
}

/// Waits until a condition holds, however long a busy computer needs for it.
///
/// - Parameters:
///   - what: a description for the failure.
///   - pause: the time between two looks.
///   - file: the caller's file.
///   - line: the caller's line.
///   - condition: is called again and again; returns nil once it holds, else the reason why not.
/// - Throws: ``NotInTime``, and the errors of `condition`.
public func waitUntil(
  _ what: String, every pause: Duration = .milliseconds(50), file: String = #fileID,
  line: Int = #line, _ condition: () async throws -> String?
) async throws {
  let wait = Wait(what: what, place: "\(file):\(line)")
  while true {
    let time = ContinuousClock.now
    guard try wait.goesOn(try await condition(), lookedAt: time) else { return }
    try await Task.sleep(for: pause)
  }
}

/// Waits on the calling thread until a condition holds.
///
/// - Parameters:
///   - what: a description for the failure.
///   - file: the caller's file.
///   - line: the caller's line.
///   - condition: is called again and again; returns nil once it holds, else the reason why not.
/// - Throws: ``NotInTime``, and the errors of `condition`.
public func blockUntil(
  _ what: String, file: String = #fileID, line: Int = #line, _ condition: () throws -> String?
) throws {
  let wait = Wait(what: what, place: "\(file):\(line)")
  while true {
    let time = ContinuousClock.now
    guard try wait.goesOn(try condition(), lookedAt: time) else { return }
    usleep(10_000)
  }
}
