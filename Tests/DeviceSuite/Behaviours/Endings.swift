import PRFDevice
import TestSupport

extension Behaviour {
  static let endings: [Behaviour] = [
    Behaviour("denied", "A touch refused on the key", key: [stored, "touch=deny"], needs: [.touch])
    { keys in
      let key = try await keys.open()
      try await expectError(.denied, "the evaluation") {
        _ = try await key.evaluate(.suite([], .one), pin: keys.pin)
      }
      try await expectError(.denied, "enrolling") { _ = try await keys.credential(on: key) }
      try expect(try await key.pinRetries(), is: 8, "PIN tries")
    },
    Behaviour(
      "late-touch", "A touch that comes late is waited for", key: [stored, "touch=700"],
      needs: [.touch]
    ) { keys in
      let key = try await keys.open()
      _ = try only(try await key.evaluate(.suite([], .one), pin: keys.pin), "answers")
    },
    Behaviour(
      "key-timeout", "The key gives up waiting for a touch",
      key: [stored, "touch=never", "touch-timeout-ms=400"], needs: [.touch]
    ) { keys in
      let key = try await keys.open()
      try await expectError(.touchTimeout, "the evaluation") {
        _ = try await key.evaluate(.suite([], .one), pin: keys.pin)
      }
      try expect(try await key.pinRetries(), is: 8, "PIN tries")
    },
    Behaviour(
      "key-denial", "The key gives up waiting and calls it a refusal",
      key: [stored, "touch=never", "touch-timeout-ms=400", "touch-timeout-denies"],
      needs: [.touch]
    ) { keys in
      let key = try await keys.open { $0.leastTouchTime = .milliseconds(200) }
      try await expectError(.touchTimeout, "the evaluation") {
        _ = try await key.evaluate(.suite([], .one), pin: keys.pin)
      }
      try await expectError(.touchTimeout, "enrolling") { _ = try await keys.credential(on: key) }
    },
    Behaviour(
      "host-timeout", "A touch that nobody gives in time: the key is usable at once",
      key: [stored, "touch=never"], needs: [.touch]
    ) { keys in
      let key = try await keys.open { $0.touchTimeout = .seconds(3) }
      try await expectError(.touchTimeout, "the evaluation") {
        _ = try await key.evaluate(.suite([], .one), pin: keys.pin)
      }
      try expect(try await key.pinRetries(), is: 8, "PIN tries")
    },
    Behaviour(
      "cancel", "Cancelled while it waits for a touch: it ends at once and the key is usable",
      keys: [["pin=\(PluggedKeys.pinText)", stored, "touch=never"]], needs: [.touch], touches: 0
    ) { keys in
      let key = try await keys.open { $0.touchTimeout = Backstop.duration }
      let retries = try await key.pinRetries()
      // Creating a credential waits for a touch on every key; evaluating only if the key has a
      // credential.
      let task = Task { try await keys.create(on: key, verifiedBy: keys.pin) }
      try await Task.sleep(for: .seconds(2))
      task.cancel()
      try await expectError(.cancelled, "the operation") { _ = try await task.value }
      try expect(try await key.pinRetries(), is: retries, "PIN tries")
    },
    Behaviour(
      "unplugged-waiting", "Unplugged while it waits for a touch",
      key: [stored, "touch=never", "fault=unplug-on-touch"], needs: [.touch]
    ) { keys in try await lost(keys) },
    Behaviour(
      "unplugged-command", "Unplugged in the middle of a command",
      key: [stored, "fault=unplug:getAssertion"]
    ) { keys in try await lost(keys) },
    Behaviour(
      "unplugged-opening", "Unplugged while it is opened", key: ["fault=unplug:getInfo"]
    ) { keys in
      try await expectError(.authenticatorLost, "opening") { _ = try await keys.open() }
    },
    Behaviour(
      "silent", "A key that never answers is given up",
      key: [stored, "fault=silent:getAssertion"]
    ) { keys in
      let key = try await keys.open { $0.touchTimeout = .seconds(3) }
      try await expectError(.touchTimeout, "the evaluation") {
        _ = try await key.evaluate(.suite([], .one), pin: keys.pin)
      }
    },
    Behaviour(
      "silent-cancel", "Cancelling frees the caller even of a key that never answers",
      key: [stored, "fault=silent:getAssertion"]
    ) { keys in
      let key = try await keys.open { $0.touchTimeout = Backstop.duration }
      let task = Task { try await key.evaluate(.suite([], .one), pin: keys.pin) }
      try await Task.sleep(for: .seconds(1))
      task.cancel()
      try await expectError(.cancelled, "the evaluation") { _ = try await task.value }
    },
    Behaviour(
      "silent-opening", "A key that does not answer when it is opened is given up",
      key: ["fault=silent:getInfo"]
    ) { keys in
      try await expectError(.noAnswer, "opening") {
        _ = try await keys.open { $0.answerTimeout = .seconds(1) }
      }
    },
    Behaviour(
      "silent-channel", "A key that gives out no channel is given up",
      key: ["fault=init-silent"], needs: [.channels]
    ) { keys in
      try await expectError(.noAnswer, "opening") {
        _ = try await keys.open { $0.answerTimeout = .seconds(1) }
      }
    },
    Behaviour("closed", "Closed, and opened again at once", touches: 0) { keys in
      let key = try await keys.open()
      await key.close()
      try await expectError(.closed, "using it") { _ = try await key.info() }
      try expect(try await keys.open().info().isPINSet, "no PIN set")
    },
  ]

  /// Checks that evaluating ends at once with the key lost, and that it stays lost.
  private static func lost(_ keys: PluggedKeys) async throws {
    let key = try await keys.open { $0.touchTimeout = Backstop.duration }
    try await expectError(.authenticatorLost, "the evaluation") {
      _ = try await key.evaluate(.suite([], .one), pin: keys.pin)
    }
    try await expectError(.authenticatorLost, "another use") { _ = try await key.pinRetries() }
  }
}
