internal import Synchronization

/// Waiting for a person's hand: the terminal and the caller are told what to
/// do, and the terminal is reminded of it while nothing happens.
extension Prompter {
  /// Asks for a security key to be plugged in, while `waiting` waits for it.
  ///
  /// - Parameters:
  ///   - insert: which would do, and for how long.
  ///   - waiting: returns when there is one.
  /// - Returns: what `waiting` returns.
  /// - Throws: what `waiting` throws.
  package func insert<R: Sendable, E: Error>(
    _ insert: Event.Insert, while waiting: () async throws(E) -> R
  ) async throws(E) -> R {
    events.send(.insert(insert))
    tell(insert.text)
    return try await reminding(
      upTo: insert.seconds, of: { "Still waiting for a security key (\($0) s left)." },
      while: waiting)
  }

  /// Asks for a choice among several keys by touch, while `waiting` waits for it.
  ///
  /// - Parameters:
  ///   - candidates: the keys that can be touched.
  ///   - purpose: what the key is chosen for, such as "to enrol".
  ///   - seconds: how long they are waited for.
  ///   - waiting: the wait.
  /// - Returns: what `waiting` returns.
  /// - Throws: what `waiting` throws.
  package func select<R: Sendable, E: Error>(
    among candidates: [ShownKey], _ purpose: String, seconds: Int,
    while waiting: () async throws(E) -> R
  ) async throws(E) -> R {
    events.send(.select(candidates: candidates, why: purpose, secondsLeft: seconds))
    tell(
      "Several security keys are plugged in. Touch the one \(purpose): "
        + candidates.map(\.placed).joined(separator: ", "))
    return try await reminding(
      upTo: seconds, of: { "Still waiting for a touch on one of the keys (\($0) s left)." },
      while: waiting)
  }

  /// Asks for the touch of a key, once the call that needs it waits for it.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - why: what the touch does, when there is more than one.
  ///   - seconds: how long the key is waited for.
  ///   - waiting: the call; it is given what it calls when the key has accepted the
  ///     PIN and waits.
  /// - Returns: what `waiting` returns.
  /// - Throws: what `waiting` throws.
  package func touch<R: Sendable, E: Error>(
    _ key: ShownKey, why: String? = nil, seconds: Int,
    while waiting: (@escaping @Sendable () -> Void) async throws(E) -> R
  ) async throws(E) -> R {
    let reminder = Reminder()
    return try await reminder.ending { () async throws(E) in
      try await waiting {
        events.send(.touch(key, why: why, secondsLeft: seconds))
        let reason = why.map { " (\($0))" } ?? ""
        // On a reader the key's being there is the touch.
        tell(
          key.transport == "nfc"
            ? "Hold \(key.told) still until it is done\(reason)."
            : "Touch \(key.told) now\(reason).")
        reminder.begin {
          await remind(upTo: seconds) {
            key.transport == "nfc"
              ? "Still waiting for \(key.told) (\($0) s left). Keep it on the reader; it may want a touch."
              : "Still waiting for a touch on \(key.told) (\($0) s left). It may be blinking."
          }
        }
      }
    }
  }

  // MARK: Reminder

  /// Seconds until the first reminder; each further one takes twice as long.
  private static let firstReminder = 8

  /// Runs `waiting`, and shows `text` with the seconds left while it lasts.
  private func reminding<R: Sendable, E: Error>(
    upTo seconds: Int, of text: @escaping @Sendable (Int) -> String,
    while waiting: () async throws(E) -> R
  ) async throws(E) -> R {
    let reminder = Reminder()
    reminder.begin { await remind(upTo: seconds, of: text) }
    return try await reminder.ending(waiting)
  }

  private func remind(upTo limit: Int, of text: @Sendable (Int) -> String) async {
    var passed = 0
    var pause = Self.firstReminder
    while passed + pause < limit {
      do { try await time.sleep(.seconds(pause)) } catch { return }
      if Task.isCancelled { return }
      passed += pause
      pause *= 2
      tell(text(limit - passed))
    }
  }
}

/// Reminds of something until it has come.
private final class Reminder: Sendable {
  private let task = Mutex<Task<Void, Never>?>(nil)

  func begin(_ remind: @escaping @Sendable () async -> Void) {
    let begun = Task { await remind() }
    task.withLock { $0 = begun }
  }

  /// Runs `waiting` and ends the reminding for certain: nothing is shown after this
  /// returned.
  func ending<R: Sendable, E: Error>(_ waiting: () async throws(E) -> R) async throws(E) -> R {
    do throws(E) {
      let result = try await waiting()
      await end()
      return result
    } catch {
      await end()
      throw error
    }
  }

  private func end() async {
    let task = task.withLock { $0.take() }
    task?.cancel()
    await task?.value
  }
}
