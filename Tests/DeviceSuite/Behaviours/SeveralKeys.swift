import PRFDevice

extension Behaviour {
  static let severalKeys: [Behaviour] = [
    Behaviour(
      "two-keys", "Two keys of one model are told apart by what they hold",
      keys: [["pin=\(PluggedKeys.pinText)"], ["pin=\(PluggedKeys.pinText)"]], needs: [.list]
    ) { keys in
      let descriptors = try await keys.descriptors()
      try expect(Set(descriptors.map(\.path)).count, is: 2, "paths")
      let (first, second) = (try await keys.open(0), try await keys.open(1))
      let id = try await keys.create(on: first, verifiedBy: keys.pin).id
      try expect(try await first.holds([id], rpID: PluggedKeys.rpID), is: .yes(id), "the first")
      try expect(try await second.holds([id], rpID: PluggedKeys.rpID), is: .no, "the second")
      _ = try only(try await first.evaluate(.suite([id], .one), pin: keys.pin), "answers")
      try await expectError(.noCredentials, "the second's evaluation") {
        _ = try await second.evaluate(.suite([id], .one), pin: keys.pin)
      }
    },
    Behaviour(
      "one-broken", "A key that answers nothing leaves the other one usable",
      keys: [
        ["pin=\(PluggedKeys.pinText)", "fault=silent:getInfo"], ["pin=\(PluggedKeys.pinText)"],
      ], needs: [.list]
    ) { keys in
      // Listed before one of them is held.
      _ = try await keys.descriptors()
      async let broken: Void = expectError(.noAnswer, "opening the broken key") {
        _ = try await keys.open(0) { $0.answerTimeout = .seconds(2) }
      }
      try expect(try await keys.open(1).pinRetries(), is: 8, "PIN tries of the other")
      try await broken
    },
    Behaviour(
      "other-process", "In use it is busy for another process, and free once closed",
      needs: [.list, .otherProcesses], touches: 0
    ) { keys in
      let path = try only(try await keys.descriptors(), "keys").path
      let key = try await keys.open()
      try expect(try await SecondProcess.open(path), is: "busy", "another process meanwhile")
      _ = try await key.pinRetries()
      await key.close()
      try expect(try await SecondProcess.open(path), is: "opened", "another process afterwards")
    },
  ]
}
