import Testing

@testable import FileCommands

/// When a version is due, on a clock that the test sets.
@Suite struct WatchScheduleTests {
  private func seconds(_ value: Double) -> Duration { .milliseconds(Int(value * 1000)) }

  @Test func `A file that is quiet for two seconds is due once`() {
    var schedule = WatchSchedule(count: 1)
    #expect(schedule.next == nil)
    schedule.changed(0, at: seconds(10))
    #expect(schedule.next == seconds(12))
    #expect(schedule.takeDue(at: seconds(11.9)) == [])
    #expect(schedule.takeDue(at: seconds(12)) == [0])
    #expect(schedule.takeDue(at: seconds(12)) == [] && schedule.next == nil)
  }

  @Test func `Each change puts it off, to thirty seconds after the first`() {
    var schedule = WatchSchedule(count: 1)
    var time = 0.0
    while time < 29.5 {
      schedule.changed(0, at: seconds(time))
      #expect(schedule.takeDue(at: seconds(time)) == [], "\(time)")
      time += 0.5
    }
    #expect(schedule.next == seconds(30))
    #expect(schedule.takeDue(at: seconds(30)) == [0])
    // What comes after it counts from there.
    schedule.changed(0, at: seconds(30.1))
    #expect(schedule.next == seconds(32.1))
  }

  /// Where the kernel tells nothing, a look just before each try finds another change.
  @Test func `A file that is never found quiet is saved after thirty seconds, again and again`() {
    var schedule = WatchSchedule(count: 1)
    var saved: [Duration] = []
    schedule.changed(0, at: .zero)
    for time in stride(from: 0.0, to: 100, by: 0.5).map(seconds) {
      guard schedule.takeDue(at: time) == [0], !schedule.putOff(0, at: time) else { continue }
      saved.append(time)
      schedule.ended(0, .saved, at: time)
      schedule.changed(0, at: time)
    }
    #expect(saved == [30, 60, 90].map(seconds))
  }

  @Test func `A file that is found changed once is saved when it is quiet`() {
    var schedule = WatchSchedule(count: 1)
    schedule.changed(0, at: .zero)
    #expect(schedule.takeDue(at: seconds(2)) == [0] && schedule.putOff(0, at: seconds(2)))
    #expect(schedule.next == seconds(4) && schedule.takeDue(at: seconds(4)) == [0])
  }

  /// It changed for the longest time already when the folder was away.
  @Test func `A failed backup of a changing file is not put off again`() {
    var schedule = WatchSchedule(count: 1)
    schedule.changed(0, at: .zero)
    #expect(schedule.takeDue(at: seconds(30)) == [0] && !schedule.putOff(0, at: seconds(30)))
    schedule.ended(0, .failed, at: seconds(30))
    #expect(schedule.takeDue(at: seconds(32)) == [0] && !schedule.putOff(0, at: seconds(32)))
  }

  @Test func `A burst is one version`() {
    var schedule = WatchSchedule(count: 1)
    for number in 0..<100 { schedule.changed(0, at: .milliseconds(number * 10)) }
    var versions = 0
    for time in 0..<100_000 { versions += schedule.takeDue(at: .milliseconds(time)).count }
    #expect(versions == 1)
  }

  @Test func `A change during a backup makes another one due`() {
    var schedule = WatchSchedule(count: 1)
    schedule.changed(0, at: seconds(0))
    #expect(schedule.takeDue(at: seconds(2)) == [0])
    schedule.changed(0, at: seconds(2.5))
    schedule.ended(0, .saved, at: seconds(3))
    #expect(schedule.isPending(0) && schedule.next == seconds(4.5))
  }

  @Test func `Files do not wait for each other`() {
    var schedule = WatchSchedule(count: 3)
    schedule.changed(0, at: seconds(0))
    schedule.changed(2, at: seconds(1))
    #expect(schedule.takeDue(at: seconds(2)) == [0])
    #expect(schedule.takeDue(at: seconds(3)) == [2])
  }

  @Test func `A failed backup is tried again, ever less often`() {
    var schedule = WatchSchedule(count: 1)
    schedule.changed(0, at: .zero)
    var time = seconds(2)
    #expect(schedule.takeDue(at: time) == [0])
    var pauses: [Duration] = []
    for _ in 0..<8 {
      schedule.ended(0, .failed, at: time)
      guard let next = schedule.next else {
        Issue.record("it is not tried again")
        return
      }
      pauses.append(next - time)
      time = next
      #expect(schedule.takeDue(at: time) == [0])
    }
    #expect(pauses == [2, 4, 8, 16, 32, 60, 60, 60].map(seconds))
    #expect(schedule.failures(0) == 8)
    schedule.ended(0, .saved, at: time)
    #expect(schedule.next == nil && schedule.failures(0) == 0)
  }

  @Test func `A folder that is back is tried at once, a file that did not fail is not`() {
    var schedule = WatchSchedule(count: 2)
    schedule.changed(0, at: .zero)
    schedule.changed(1, at: seconds(9))
    #expect(schedule.takeDue(at: seconds(2)) == [0])
    for _ in 0..<6 { schedule.ended(0, .failed, at: seconds(2)) }
    schedule.retry(at: seconds(10))
    #expect(schedule.takeDue(at: seconds(10)) == [0])
  }

  @Test func `A change of a file that failed is tried when it is quiet`() {
    var schedule = WatchSchedule(count: 1)
    schedule.changed(0, at: .zero)
    #expect(schedule.takeDue(at: seconds(2)) == [0])
    for _ in 0..<6 { schedule.ended(0, .failed, at: seconds(2)) }
    schedule.changed(0, at: seconds(20))
    #expect(schedule.next == seconds(22))
  }

  @Test func `A refused file waits for its next change`() {
    var schedule = WatchSchedule(count: 1)
    schedule.changed(0, at: .zero)
    #expect(schedule.takeDue(at: seconds(2)) == [0])
    schedule.ended(0, .refused, at: seconds(2))
    #expect(schedule.next == nil)
    schedule.changed(0, at: seconds(50))
    #expect(schedule.next == seconds(52))
  }

  @Test func `A file that vanished is not due, and is again when it is back`() {
    var schedule = WatchSchedule(count: 1)
    schedule.changed(0, at: .zero)
    schedule.vanished(0)
    #expect(schedule.next == nil)
    schedule.changed(0, at: seconds(7))
    #expect(schedule.next == seconds(9))
  }

  /// Suspended or stopped, the program wakes up late: everything is due at once, and once.
  @Test func `After a long sleep each change is one version`() {
    var schedule = WatchSchedule(count: 2)
    schedule.changed(0, at: seconds(1))
    schedule.changed(1, at: seconds(3))
    #expect(schedule.takeDue(at: seconds(100_000)) == [0, 1])
    #expect(schedule.next == nil)
  }

  /// The time since a start never runs backwards, but a caller's reading of it may be older.
  @Test func `An older time does not bring a version forward`() {
    var schedule = WatchSchedule(count: 1)
    schedule.changed(0, at: seconds(10))
    schedule.changed(0, at: seconds(5))
    #expect(schedule.next == seconds(12))
  }
}
