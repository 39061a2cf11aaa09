internal import Synchronization

/// A run of a command: its arguments, and what it gathers for its own words and its end.
///
/// Main makes it, and hands it on in ``World`` and ``Output``. All that the run does at once shares it.
/// Each kind of value stands in an extension beside its type.
package final class Run: Sendable {
  /// The command line, without the program's name.
  package let arguments: [String]
  private let values = Mutex<[ObjectIdentifier: any Sendable]>([:])
  /// Whether no more events are written.
  ///
  /// Writing one may take a while.
  private let hasEndedEvents = Mutex(false)

  /// Starts a run.
  package init(_ arguments: [String] = []) { self.arguments = arguments }

  /// Reads and changes the run's value of a type.
  ///
  /// - Parameters:
  ///   - initial: the value that it has at first.
  ///   - body: gets it.
  /// - Returns: the result of `body`.
  package func with<Value: Sendable, Result>(
    _ initial: @autoclosure () -> Value, _ body: (inout Value) -> Result
  ) -> Result {
    values.withLock { values in
      let type = ObjectIdentifier(Value.self)
      var value = values[type] as? Value ?? initial()
      defer { values[type] = value }
      return body(&value)
    }
  }

  /// Writes an event, unless the stream has ended: because of an error, or a stuck reader.
  ///
  /// The lock keeps lines whole.
  ///
  /// - Parameter write: writes it; returns whether the stream goes on.
  func writeEvent(_ write: () -> Bool) {
    hasEndedEvents.withLock { ended in
      if !ended { ended = !write() }
    }
  }
}
