// This folder is for files that are watched: when a version of one is due, and asking the kernel what
// changed. How a version is written is not known here: a command gives that as a closure.

/// Decides when a file is to be backed up.
///
/// It asks nobody for the time or for a file, so that tests set both.
package struct WatchSchedule: Sendable {
  /// The times that it keeps.
  package struct Terms: Sendable {
    /// A file counts as complete after so long without a change.
    package var quiet = Duration.seconds(2)
    /// Changes without a pause are backed up after so long.
    var longest = Duration.seconds(30)
    /// The pause before a failed backup is tried again; it doubles.
    var firstRetry = Duration.seconds(2)
    /// The longest such pause.
    var longestRetry = Duration.seconds(60)
  }

  /// How a try to back a file up ended.
  package enum Ending: Sendable, Equatable {
    /// Its newest content is in the backup.
    case saved
    /// It is worth trying again.
    case failed
    /// Trying again would end the same, until the file changes.
    case refused
  }

  private struct Entry {
    /// The time of the first and the last change that is not in the backup.
    var changes: (first: Duration, last: Duration)?
    /// The time of the first change that is being tried, or that failed.
    var tried: Duration?
    /// When a failed backup is tried again.
    var retry: Duration?
    /// How often it failed in a row.
    var failures = 0
  }

  private var entries: [Entry]
  private let terms: Terms

  /// - Parameters:
  ///   - count: how many files there are.
  ///   - terms: the times to keep.
  package init(count: Int, _ terms: Terms = Terms()) {
    entries = Array(repeating: Entry(), count: count)
    self.terms = terms
  }

  /// A file has changed.
  ///
  /// - Parameters:
  ///   - file: its number.
  ///   - time: the time of the change.
  mutating func changed(_ file: Int, at time: Duration) {
    let first = entries[file].changes?.first ?? time
    entries[file].changes = (first, max(time, first))
  }

  /// A file is gone: there is nothing to back up until it is back.
  package mutating func vanished(_ file: Int) {
    entries[file] = Entry()
  }

  /// The files that are due, of which those are to be tried now.
  ///
  /// - Parameter time: the present.
  /// - Returns: their numbers. The changes of each count as tried; later ones count again.
  mutating func takeDue(at time: Duration) -> [Int] {
    entries.indices.filter { file in
      guard let due = due(entries[file]), due <= time else { return false }
      entries[file].tried = entries[file].tried ?? entries[file].changes?.first
      entries[file].changes = nil
      entries[file].retry = nil
      return true
    }
  }

  /// A file that is to be tried now has changed since it was last looked at, so it is not quiet.
  ///
  /// - Parameters:
  ///   - file: its number.
  ///   - time: the present.
  /// - Returns: whether it waits; false when it has changed for the longest time already.
  mutating func putOff(_ file: Int, at time: Duration) -> Bool {
    let first = entries[file].tried ?? time
    guard time < first + terms.longest else { return false }
    entries[file].changes = (first, max(time, first))
    return true
  }

  /// A try has ended.
  ///
  /// - Parameters:
  ///   - file: the file's number.
  ///   - ending: how.
  ///   - time: when.
  package mutating func ended(_ file: Int, _ ending: Ending, at time: Duration) {
    guard ending == .failed else {
      entries[file].failures = 0
      entries[file].tried = nil
      return
    }
    let doublings = min(entries[file].failures, 16)
    let pause = terms.firstRetry * (1 << doublings)
    entries[file].failures += 1
    entries[file].retry = time + min(pause, terms.longestRetry)
  }

  /// Something has changed for the better, such as a folder that is back: failed backups are tried
  /// at once.
  mutating func retry(at time: Duration) {
    for file in entries.indices where entries[file].retry != nil { entries[file].retry = time }
  }

  /// The time of the next try; nil: nothing is to be done.
  package var next: Duration? { entries.compactMap(due).min() }

  /// Whether a file has changes that are not in the backup.
  package func isPending(_ file: Int) -> Bool { due(entries[file]) != nil }

  /// How often a file's backup failed in a row.
  package func failures(_ file: Int) -> Int { entries[file].failures }

  private func due(_ entry: Entry) -> Duration? {
    guard let changes = entry.changes else { return entry.retry }
    let quiet = min(changes.last + terms.quiet, changes.first + terms.longest)
    return min(quiet, entry.retry ?? quiet)
  }
}
