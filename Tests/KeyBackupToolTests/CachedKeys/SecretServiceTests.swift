import SecretMemory
import SecretStores
import TestSupport
import Testing

/// The desktop's keyring: gnome-keyring on its own bus.
@Suite struct SecretServiceTests {
  private let attributes = ["xdg:schema": "keybackup.Test", "what": "test"]

  @Test func `What is kept is found and leaves nothing in memory`() async throws {
    let session = try await DesktopSession(Sandbox())
    var service = try SecretService(session.address, isPromptAllowed: false)
    #expect(try service.look(for: attributes) == .absent)
    let needle: Needle
    do {
      // Digits, as a keyring needs text.
      let digits = SecretBytes(count: 64) { span in
        for (index, byte) in Randomness.bytes(count: 64).enumerated() {
          span.storeBytes(of: 97 + byte % 26, toByteOffset: index, as: UInt8.self)
        }
      }
      needle = digits.withBytes { Needle($0) }
      try service.keep(digits, label: "a test", attributes)
      // The service adds attributes of its own to the given ones.
      #expect(try service.look(for: attributes) == .present)
      #expect(try service.look(for: ["what": "else"]) == .absent)
      switch try service.find(attributes) {
      case .some(let found):
        let isEqual = found.isEqual(to: digits)
        #expect(isEqual)
      case nil: Issue.record("it was kept")
      }
      #expect(try MemoryScan.count(needle) == 1, "the test's own")
    }
    #expect(try MemoryScan.count(needle) == 0)

    try await session.lock()
    #expect(try service.look(for: attributes) == .locked)
    #expect(throws: SecretStoreError.locked) { _ = try service.find(attributes)?.count }
    #expect(throws: SecretStoreError.locked) { _ = try service.forget(attributes) }
  }

  @Test func `Something else that listens is refused`() async throws {
    let box = try Sandbox()
    // It greets as no bus does, or not at all; its input goes to its log.
    for answer in ["SSH-2.0-x\r\n", "OK 00\r\nnothing that D-Bus would send"] {
      let path = box.root + "/socket\(answer.count)"
      let script = """
        import socket, sys, time
        s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen()
        while True:
            c, _ = s.accept(); c.sendall(sys.argv[2].encode())
            c.recv(1000); c.shutdown(socket.SHUT_WR); time.sleep(1)
        """
      let program = try BackgroundProgram(
        [Python.interpreter, "-c", script, path, answer], environment: ["PATH": "/usr/bin:/bin"],
        log: box.root + "/log")
      try await waitUntil("it listens") { Files.exists(path) ? nil : program.output }
      let bus = SessionBus(address: "unix:path=\(path)", runtimeFolder: nil)
      #expect(throws: SecretStoreError.self) {
        var service = try SecretService(bus, isPromptAllowed: false)
        _ = try service.look(for: attributes)
      }
    }
  }
}
