import PRFDevice
import SecretMemory

extension Behaviour {
  static let preflight: [Behaviour] = [
    Behaviour(
      "holds", "It says which credential it holds, without PIN and touch", touches: 0
    ) { keys in
      let key = try await keys.open()
      let id = try await keys.credential(on: key)
      let asked = unknown(3) + [id] + unknown(2)
      try expect(
        try await key.holds(asked, rpID: PluggedKeys.rpID), is: .yes(id), "whether it holds it")
      let none = try await key.holds(unknown(1), rpID: PluggedKeys.rpID)
      let isSure = try await !key.info().alwaysVerifiesUser
      try expect(none, is: isSure ? .no : .maybe, "whether it holds what it does not")
    },
    Behaviour(
      "placeholder", "A key that gives a placeholder until its PIN may hold it",
      key: ["placeholder-until-pin"]
    ) { keys in
      let key = try await keys.open()
      try expect(
        try await key.holds(unknown(2), rpID: PluggedKeys.rpID), is: .maybe, "whether it holds it")
      let id = try await keys.credential(on: key)
      try expect(
        try await key.holds([id], rpID: PluggedKeys.rpID), is: .yes(id), "and after the PIN")
    },
    Behaviour(
      "holds-no-status",
      "A status about a PIN, a touch or room that nobody asked for leaves open what it holds",
      key: [stored, "fault=error:getAssertion=0x31@1", "fault=error:getAssertion=0x28@2"]
    ) { keys in
      let key = try await keys.open()
      for place in ["first", "second"] {
        try expect(
          try await key.holds(unknown(1), rpID: PluggedKeys.rpID), is: .maybe, "the \(place) time")
      }
      _ = try await key.evaluate(.suite([], .one), pin: keys.pin)
      try expect(try await key.pinRetries(), is: 8, "PIN tries")
    },
    Behaviour("holds-long", "A list too long for one message is asked for in parts") { keys in
      let key = try await keys.open()
      let id = try await keys.credential(on: key)
      try expect(
        try await key.holds(unknown(30) + [id], rpID: PluggedKeys.rpID), is: .yes(id),
        "whether it holds it")
      try expect(try await key.holds(unknown(30), rpID: PluggedKeys.rpID), is: .no, "and others")
    },
    Behaviour(
      "holds-long-ids", "IDs that are too long for this key are none of its own",
      key: ["max-credential-id-length=66"]
    ) { keys in
      let key = try await keys.open()
      let id = try await keys.credential(on: key)
      let long = [CredentialID([UInt8](repeating: 1, count: 67))]
      try expect(try await key.holds(long, rpID: PluggedKeys.rpID), is: .no, "the long one")
      try expect(
        try await key.holds(long + [id], rpID: PluggedKeys.rpID), is: .yes(id), "its own")
    },
    Behaviour(
      "protection-3",
      "A credential of protection level 3 may be there, and answers to the verified user",
      key: [stored + "/3"]
    ) { keys in
      let key = try await keys.open()
      let answer = try only(
        try await key.evaluate(.suite([], .one), pin: keys.pin), "answers")
      try expect(
        try await key.holds([answer.credentialID], rpID: PluggedKeys.rpID, mayBeHidden: true),
        is: .maybe, "whether it holds it")
    },
  ]
}
