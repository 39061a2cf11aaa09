import Glibc
import SecretMemory
import TestSupport
import Testing

@testable import SecretStores

/// Messages on a bus come from other programs: none of them crashes this one, or holds it up
/// beyond its time.
@Suite struct DBusTests {
  @Test(
    arguments: [
      ("unix:path=/run/user/1000/bus", [.init(name: "/run/user/1000/bus")]),
      (
        "unix:abstract=/tmp/dbus-x,guid=00;unix:path=/a%20b",
        [.init(name: "/tmp/dbus-x", isAbstract: true), .init(name: "/a b")]
      ),
      ("tcp:host=localhost,port=1", []), ("autolaunch:", []), ("unix:path=%zz", []),
      ("unix:path=%2", []),
    ] as [(String, [SessionBus.Socket])])
  func `Addresses of a bus are read as D-Bus writes them`(
    _ address: String, _ sockets: [SessionBus.Socket]
  ) {
    #expect(SessionBus(address: address, runtimeFolder: "/run/x").sockets == sockets)
  }

  @Test func `The runtime folder holds the usual bus`() {
    #expect(SessionBus(address: nil, runtimeFolder: "/run/x").sockets.map(\.name) == ["/run/x/bus"])
    #expect(SessionBus(address: "", runtimeFolder: "x").sockets.isEmpty)
    #expect(throws: SecretStoreError.noSessionBus) {
      try SessionBus(address: nil, runtimeFolder: "/nonexistent").connect()
    }
  }

  @Test func `A library that is missing or another one is not used`() {
    #expect(SystemdBus.open("libsystemd.so.0") != nil)
    #expect(SystemdBus.open("libsystemd-that-nobody-has.so.0") == nil)
    #expect(SystemdBus.open("libc.so.6") == nil)
  }

  // MARK: Answers

  /// Makes a call on a bus, and reads two lists of object paths.
  private func paths(
    _ bus: FakeBus, seconds: Int = 30, isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws(SecretStoreError) -> [String] {
    var connection = try DBusConnection.open(
      bus.address, seconds: seconds, isInterrupted: isInterrupted)
    let reply = try connection.call(connection.makeCall("/a", "a.b", "C", to: "d.e"))
    try reply.expect("aoao")
    return try reply.paths() + reply.paths()
  }

  @Test(arguments: [[], ["/a"], ["/a", "/b/c"]])
  func `Answers are read`(_ expected: [String]) throws {
    let bus = FakeBus { $0.send(FakeMessage.paths(expected, answering: $1).bytes) }
    #expect(try paths(bus) == expected)
  }

  @Test func `Only the answer to the call counts`() throws {
    let bus = FakeBus { client, serial in
      var signal = FakeMessage(answering: 0, "s")
      signal.kind = 4
      signal.texts = [(1, "o", "/a"), (2, "s", "a.b"), (3, "s", "C")]
      signal.body.put("x")
      var later = FakeMessage.paths(["/x"], answering: serial)
      later.kind = 9
      var field = FakeMessage.paths(["/a"], answering: serial)
      field.texts = [(77, "s", "a field of a later version")]
      // Its version of the protocol is another one, so it is dropped.
      var dropped = FakeMessage.paths(["/y"], answering: serial)
      dropped.version = 9
      for message in [signal, .paths(["/z"], answering: serial + 1), later, dropped, field] {
        client.send(message.bytes)
      }
      return true
    }
    #expect(try paths(bus) == ["/a"])
  }

  @Test func `An error is told by its name`() {
    for (name, error) in [
      ("org.freedesktop.DBus.Error.ServiceUnknown", SecretStoreError.noSecretService),
      ("org.freedesktop.Secret.Error.IsLocked", .locked),
      ("org.freedesktop.DBus.Error.NoReply", .timedOut), ("a.b", .serviceFailed("a.b")),
    ] {
      let bus = FakeBus { client, serial in
        var message = FakeMessage(answering: serial, "s")
        message.kind = 3
        message.texts = [(4, "s", name)]
        message.body.put("why")
        return client.send(message.bytes)
      }
      #expect(throws: error) { _ = try paths(bus) }
    }
  }

  @Test func `The signal of completion may come before the answer`() throws {
    let bus = FakeBus { client, serial in
      for path in ["/other", "/prompt"] {
        var signal = FakeMessage(answering: 0, "bv")
        signal.kind = 4
        signal.texts = [(1, "o", path), (2, "s", "a.b"), (3, "s", "Completed")]
        signal.body.put(path == "/prompt" ? 1 : 0 as UInt32)
        signal.body.put(signature: "s")
        signal.body.put("")
        client.send(signal.bytes)
      }
      return true
    }
    var connection = try DBusConnection.open(bus.address, seconds: 5) { false }
    let signal = try connection.call(
      connection.makeCall("/prompt", "a.b", "Prompt", to: "d.e"), until: "Completed",
      from: "/prompt")
    try signal.expect("bv")
    #expect(try signal.flag())
  }

  // MARK: Hostile programs

  @Test func `Wrong answers are refused`() {
    let wrong: [(FakeMessage, SecretStoreError)] = [
      (.init(answering: 2, "as"), .protocolViolation("signature aoao")),
      (.init(answering: 2, ""), .protocolViolation("signature aoao")),
      // It says two lists and holds none.
      (.init(answering: 2, "aoao"), .protocolViolation("message")),
      (.paths(["no path"], answering: 2), .protocolViolation("message")),
    ]
    for (message, error) in wrong {
      let bus = FakeBus { client, _ in client.send(message.bytes) }
      #expect(throws: error) { _ = try paths(bus) }
    }
    let order = FakeBus { client, serial in
      var message = FakeMessage.paths([], answering: serial)
      message.order = UInt8(ascii: "x")
      return client.send(message.bytes)
    }
    #expect(throws: SecretStoreError.protocolViolation("message")) { _ = try paths(order) }
  }

  /// What a bus does instead of answering.
  enum Trick: CaseIterable {
    case silence, close, closeMidway, hugeClaim, largeMessage, dropped, signals
  }

  @Test(arguments: Trick.allCases)
  func `No bus holds the program up`(_ trick: Trick) {
    let bus = FakeBus { client, serial in
      var message = FakeMessage.paths(["/a"], answering: serial)
      switch trick {
      case .silence: return true
      case .close: return false
      case .closeMidway:
        client.send(message.bytes.dropLast(3))
        return false
      case .hugeClaim:
        message.claimedSize = 1 << 30
        return client.send(message.bytes)
      case .largeMessage:
        // As libsystemd would read it.
        message.claimedSize = 100 << 20
        client.send(message.header)
        while client.send([UInt8](repeating: 0, count: 1 << 16)) {}
      case .dropped:
        // libsystemd drops them, and would read on as long as there are some.
        message.version = 9
        let many = Array(repeatElement(message.bytes, count: 1000).joined())
        while client.send(many) {}
      case .signals:
        message.kind = 4
        message.texts = [(1, "o", "/a"), (2, "s", "a.b"), (3, "s", "C")]
        let many = Array(repeatElement(message.bytes, count: 1000).joined())
        while client.send(many) {}
      }
      return false
    }
    let error: SecretStoreError =
      switch trick {
      case .silence, .signals: .timedOut
      case .close, .closeMidway: .noSessionBus
      case .hugeClaim: .protocolViolation("message")
      case .largeMessage, .dropped: .protocolViolation("size")
      }
    // Only these two are waited for: on a busy machine the others would run out of a short time.
    let seconds = error == .timedOut ? 1 : Backstop.seconds
    #expect(throws: error) { _ = try paths(bus, seconds: seconds) }
  }

  @Test func `A signal ends the waiting`() {
    let silent = FakeBus { _, _ in true }
    let start = ContinuousClock.now
    #expect(throws: SecretStoreError.interrupted) {
      _ = try paths(silent, seconds: Backstop.seconds) {
        ContinuousClock.now - start > .milliseconds(300)
      }
    }
  }

  @Test func `Damaged answers are refused or read`() {
    let whole = FakeMessage.paths(["/a", "/b/c", "/d"], answering: 2).bytes
    func answer(_ bytes: [UInt8]) -> Result<[String], SecretStoreError> {
      let bus = FakeBus { client, _ in
        client.send(bytes)
        return false
      }
      return Result { () throws(SecretStoreError) in try paths(bus) }
    }
    for count in stride(from: 0, to: whole.count, by: 5) {
      #expect(answer(Array(whole[..<count])) == .failure(.noSessionBus))
    }
    #expect(answer(whole) == .success(["/a", "/b/c", "/d"]))
    var random = SeededGenerator(seed: 5)
    for _ in 0..<500 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
      switch answer(bytes) {
      case .success, .failure(.noSessionBus), .failure(.protocolViolation): break
      case .failure(.serviceFailed): break
      case .failure(let error): Issue.record("\(error)")
      }
    }
  }

  // MARK: Secrets

  /// What becomes of an answer with a secret.
  enum Answer: CaseIterable {
    case read, late, cutOff
  }

  @Test(arguments: Answer.allCases)
  func `A secret that was received leaves nothing in memory`(_ kind: Answer) throws {
    let own = SecretBytes.random(count: 64)
    let needle = own.withBytes { Needle($0) }
    let copy = own.copy()
    let shared = Shared(copy)
    let bus = FakeBus { client, serial in
      var message = FakeMessage(answering: kind == .late ? serial + 7 : serial, "(oayays)")
      message.body.put("/session")
      message.body.put(0 as UInt32)
      message.body.put(64 as UInt32)
      var end = FakeBody()
      end.put("text/plain")
      message.claimedSize = UInt32(message.body.bytes.count + 64 + end.bytes.count)
      client.send(message.bytes)
      shared.secret.withBytes { _ = client.send($0) }
      if kind == .cutOff { return false }
      client.send(end.bytes)
      if kind == .late {
        var error = FakeMessage(answering: serial, "")
        error.kind = 3
        error.texts = [(4, "s", "a.b")]
        client.send(error.bytes)
      }
      return true
    }
    func get() throws(SecretStoreError) -> SecretBytes {
      var connection = try DBusConnection.open(bus.address, seconds: 10) { false }
      let reply = try connection.call(connection.makeCall("/a", "a.b", "C", to: "d.e"))
      try reply.expect("(oayays)")
      try reply.structure("oayays")
      try reply.skip("oay")
      return try reply.secret()
    }
    do throws(SecretStoreError) {
      let found = try get()
      let isEqual = found.isEqual(to: own)
      #expect(isEqual && kind == .read)
    } catch {
      #expect(error == (kind == .late ? .serviceFailed("a.b") : .noSessionBus))
    }
    #expect(try MemoryScan.count(needle) == 2, "the test's own two")
  }

  /// sd-bus moves a message that grows: a copy could stay at each of its earlier places.
  @Test func `A secret that was sent leaves nothing in memory`() throws {
    let own = SecretBytes.random(count: 64)
    let needle = own.withBytes { Needle($0) }
    let bus = FakeBus { client, serial in
      client.send(FakeMessage.paths([], answering: serial).bytes)
    }
    var connection = try DBusConnection.open(bus.address, seconds: 3600) { false }
    for length in stride(from: 0, to: 300, by: 30) {
      var call = try connection.makeCall("/a", "a.b", "C", to: "d.e")
      call.put("a", of: "{sv}") { properties in
        properties.put(property: "Label", "s") { $0.put(String(repeating: "x", count: length)) }
      }
      call.putSecret(count: 64, session: "/session", type: "text/plain", after: "a{sv}")
      call.put(true)
      _ = try connection.call(call, secret: own)
      #expect(try MemoryScan.count(needle) == 2, "the test's own, and what the bus received")
    }
  }
}

/// Lends a secret to another thread.
private final class Shared: Sendable {
  let secret: SecretBytes

  init(_ secret: consuming SecretBytes) { self.secret = secret }
}
