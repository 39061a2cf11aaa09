import SecretMemory
import SecretStores
import TestSupport
import Testing

/// The real kernel's keyring of this user.
///
/// On a machine that forbids it, these tests fail: the promises of `unlock` cannot be shown there.
@Suite struct KernelKeyringTests {
  private let name = "keybackup-test:\(UInt64.random(in: 0 ... .max)):"

  private func found(_ name: String) throws -> [UInt8]? {
    switch try KernelKeyring.find(name) {
    case .some(let found): array(found.secret)
    case nil: nil
    }
  }

  @Test func `The kernel allows it`() {
    #expect(throws: Never.self, "this machine forbids add_key or keyctl: see error") {
      try KernelKeyring.check(name, count: 32)
    }
  }

  @Test(arguments: [0, 1, 32, 4000])
  func `What is kept is found until it is forgotten`(count: Int) throws {
    let bytes = Randomness.bytes(count: count)
    #expect(try found(name) == nil)
    try KernelKeyring.keep(secret(bytes), as: name, for: 60)
    #expect(try found(name) == bytes)
    let left = try KernelKeyring.find(name)?.secondsLeft ?? 0
    #expect((1...60).contains(left))
    #expect(try KernelKeyring.names(startingWith: name) == [name])
    // Another secret under the same name replaces it.
    try KernelKeyring.keep(secret([1, 2, 3]), as: name, for: 60)
    #expect(try found(name) == [1, 2, 3])
    #expect(try KernelKeyring.names(startingWith: name) == [name])
    #expect(try KernelKeyring.forget(name))
    #expect(try found(name) == nil)
    #expect(try KernelKeyring.names(startingWith: name).isEmpty)
    #expect(try !KernelKeyring.forget(name))
  }

  @Test func `It is gone after its time`() async throws {
    try KernelKeyring.keep(secret([7]), as: name, for: 1)
    let left = try KernelKeyring.find(name)?.secondsLeft
    #expect(left == nil || left == 1 || left == 0, "a time that is never set would be longer")
    try await waitUntil("it is gone") { try found(name) == nil ? nil : "it is there" }
    #expect(try !KernelKeyring.forget(name))
  }

  @Test func `It leaves nothing in memory`() throws {
    let needle: Needle
    do {
      let secret = SecretBytes.random(count: 32)
      needle = secret.withBytes { Needle($0) }
      try KernelKeyring.keep(secret, as: name, for: 60)
      #expect(try MemoryScan.count(needle) == 1, "its only owner")
    }
    #expect(try MemoryScan.count(needle) == 0, "what kept it")
    switch try KernelKeyring.find(name) {
    case .some(let found):
      #expect(found.secondsLeft > 0)
      #expect(try MemoryScan.count(needle) == 1, "it can be found")
    case nil: Issue.record("it was kept")
    }
    #expect(try MemoryScan.count(needle) == 0, "what found it")
    #expect(try KernelKeyring.forget(name))
  }

  @Test func `Other threads find it`() async throws {
    // The tasks may have to wait for a busy computer.
    try KernelKeyring.keep(secret([5, 6]), as: name, for: 3600)
    try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
      for _ in 0..<16 { group.addTask { try found(name) } }
      for try await bytes in group { #expect(bytes == [5, 6]) }
    }
    #expect(try KernelKeyring.forget(name))
  }
}
