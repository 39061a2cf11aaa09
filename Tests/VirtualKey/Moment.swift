import Glibc

/// The time that the simulation has for what a busy computer does late: a service that starts, a node that appears.
public let simulationPatience = Duration.seconds(120)

/// The moment when something happens to a simulated key.
public enum Moment: Sendable, Equatable {
  /// After this many milliseconds.
  case after(milliseconds: Int)
  /// Once this file is there: whoever makes it decides, however busy the computer is.
  case file(String)

  /// Parses a number of milliseconds, or the absolute path of a file; nil otherwise.
  public init?(_ text: String) {
    if text.hasPrefix("/") {
      self = .file(text)
    } else if let milliseconds = Int(text), milliseconds >= 0 {
      self = .after(milliseconds: milliseconds)
    } else {
      return nil
    }
  }

  /// Waits for it on the calling thread.
  public func wait() {
    let wait = MomentWait(for: self)
    while !wait.hasCome {
      usleep(UInt32(clamping: MomentWait.milliseconds(until: wait.nextLook) * 1000))
    }
  }
}

/// A wait for a moment.
struct MomentWait {
  private let moment: Moment
  private let start = ContinuousClock.now

  /// Begins the wait.
  init(for moment: Moment) { self.moment = moment }

  /// Whether the moment is there.
  var hasCome: Bool {
    switch moment {
    case .after(let milliseconds): start + .milliseconds(milliseconds) <= .now
    case .file(let path): unsafe access(path, F_OK) == 0
    }
  }

  /// The time of the next look.
  var nextLook: ContinuousClock.Instant {
    switch moment {
    case .after(let milliseconds): start + .milliseconds(milliseconds)
    case .file: .now + .milliseconds(20)
    }
  }

  /// The whole milliseconds until a time, rounded up; at least 0.
  static func milliseconds(until time: ContinuousClock.Instant) -> Int {
    let (seconds, attoseconds) = ContinuousClock.now.duration(to: time).components
    return max(0, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000) + 1)
  }
}
