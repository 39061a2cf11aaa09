import SecretMemory
import TestSupport
import Testing

@testable import SecretStores

/// Messages on a bus come from other programs: they are read strictly, and never cause a crash.
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

  /// A reply whose bytes libdbus wrote: a SearchItems answer.
  private func reply(
    _ paths: [String], type: UInt8 = 2, further: (inout DBusBody) -> Void = { _ in }
  ) -> [UInt8] {
    var body = DBusBody()
    body.put(paths)
    body.put([String]())
    var header = DBusBody()
    header.bytes = [UInt8(ascii: "l"), type, 1, 1]
    header.put(UInt32(body.bytes.count))
    header.put(9 as UInt32)
    header.array(alignment: 8) { fields in
      further(&fields)
      fields.align(8)
      fields.bytes.append(5)
      fields.putSignature("u")
      fields.put(3 as UInt32)
      fields.align(8)
      fields.bytes.append(8)
      fields.putSignature("g")
      fields.putSignature("aoao")
    }
    header.align(8)
    return header.bytes + body.bytes
  }

  private func paths(_ bytes: [UInt8]) throws(SecretStoreError) -> [String] {
    let size = try unsafe DBusReply.size(prefix: Array(bytes.prefix(16)).span.bytes)
    guard size == bytes.count else { throw .protocolViolation("size") }
    let reply = try DBusReply(secret(bytes))
    guard reply.replySerial == 3 else { throw .protocolViolation("serial") }
    return try reply.read("aoao") { (bytes, cursor) throws(SecretStoreError) in
      try cursor.texts(bytes) + cursor.texts(bytes)
    }
  }

  @Test func `Replies on the bus are read`() throws {
    #expect(try paths(reply(["/a", "/b/c"])) == ["/a", "/b/c"])
    #expect(try paths(reply([])) == [])
  }

  /// "Must accept and ignore": a later version of the protocol may have more of both.
  @Test func `Unknown types and fields are ignored`() throws {
    #expect(try DBusReply(secret(reply([], type: 9))).kind == .unknown)
    #expect(throws: SecretStoreError.self) { _ = try DBusReply(secret(reply([], type: 0))) }
    let values: [(String, (inout DBusBody) -> Void)] = [
      ("y", { $0.bytes.append(1) }),
      (
        "t",
        {
          $0.align(8)
          $0.put(1 as UInt32)
          $0.put(2 as UInt32)
        }
      ),
      ("as", { $0.put(["a", "bc"]) }), ("a{ss}", { $0.put(["a": "bc"]) }),
      ("a(sau)", { $0.array(alignment: 8) { _ in } }),
      (
        "(sv)",
        {
          $0.align(8)
          $0.put("a")
          $0.putVariant("b")
        }
      ),
      ("v", { $0.putVariant("b") }),
    ]
    for (type, put) in values {
      let bytes = reply(["/a", "/b"]) { fields in
        fields.align(8)
        fields.bytes.append(77)
        fields.putSignature(type)
        put(&fields)
      }
      #expect(try paths(bytes) == ["/a", "/b"], "\(type)")
    }
    // Neither a type of unknown size, nor one without an end.
    let endless = String(repeating: "(", count: 200)
    for type in ["", "z", "a", "(s", "ss", "a)", endless] {
      let bytes = reply([]) { fields in
        fields.align(8)
        fields.bytes.append(77)
        fields.putSignature(type)
        fields.put("a")
      }
      #expect(throws: SecretStoreError.self, "\(type)") { try paths(bytes) }
    }
    let deep = reply([]) { fields in
      fields.align(8)
      fields.bytes.append(77)
      for _ in 0..<70 { fields.putSignature("v") }
      fields.putVariant("b")
    }
    #expect(throws: SecretStoreError.self) { try paths(deep) }
  }

  @Test func `Damaged replies are refused or read`() throws {
    let whole = reply(["/a", "/b/c", "/d"])
    for count in 0..<whole.count {
      #expect(throws: SecretStoreError.self) { try paths(Array(whole[..<count])) }
    }
    var random = SeededGenerator(seed: 5)
    for _ in 0..<3000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
      _ = try? paths(bytes)
    }
  }
}
