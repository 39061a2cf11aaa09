import Glibc
import TestSupport
import Testing

@testable import VirtualKey

@Suite struct CTAPHIDTests {
  @Test(arguments: [0, 1, 56, 57, 58, 57 + 59, 57 + 59 + 1, 1024, 7609])
  func `A ping comes back unchanged`(length: Int) throws {
    let host = try Host()
    let data = [UInt8].seeded(length)
    host.send(.ping, data)
    #expect(host.receive() == .init(channel: host.channel, command: 0x01, data: data))
  }

  @Test func `Each client gets a channel of its own`() throws {
    let host = try Host()
    #expect(try host.allocateChannel() != host.channel)
  }

  private func error(_ message: Host.Message?) -> CTAPHIDError? {
    guard let message, message.command == 0x3F, message.data.count == 1 else { return nil }
    return CTAPHIDError(rawValue: message.data[0])
  }

  @Test func `An unknown channel is an error`() throws {
    let host = try Host()
    for channel in [0x1234, 0, CTAPHIDPacket.broadcast] {
      host.send(.ping, [1], on: channel)
      let answer = host.receive()
      #expect(error(answer) == .invalidChannel)
      #expect(answer?.channel == channel)
    }
    host.send(.initialize, [1, 2, 3, 4, 5, 6, 7, 8], on: 0x1234)
    #expect(error(host.receive()) == .invalidChannel)
    host.send(.initialize, [1, 2, 3], on: CTAPHIDPacket.broadcast)
    #expect(error(host.receive()) == .invalidLength)
  }

  @Test func `An unknown command is an error`() throws {
    let host = try Host()
    host.send(.lock, [1])
    #expect(error(host.receive()) == .invalidCommand)
    host.send(.message, [0, 3, 0, 0])
    #expect(error(host.receive()) == .invalidCommand)
  }

  @Test func `A message that is too long is an error`() throws {
    let host = try Host()
    var report = CTAPHIDPacket.reports(channel: host.channel, command: .ping, data: [])[0]
    (report[5], report[6]) = (0x1D, 0xBA)
    host.sendReport(report)
    #expect(error(host.receive()) == .invalidLength)
  }

  @Test func `A packet out of sequence is an error`() throws {
    let host = try Host()
    let reports = CTAPHIDPacket.reports(
      channel: host.channel, command: .ping, data: .seeded(200))
    host.sendReport(reports[0])
    host.sendReport(reports[2])
    #expect(error(host.receive()) == .invalidSequence)
    host.send(.ping, [9])
    #expect(host.receive()?.data == [9])
  }

  @Test func `New message instead of continuation`() throws {
    let host = try Host()
    let reports = CTAPHIDPacket.reports(
      channel: host.channel, command: .ping, data: .seeded(200))
    host.sendReport(reports[0])
    host.send(.ping, [9])
    #expect(error(host.receive()) == .invalidSequence)
  }

  @Test func `Other channel while receiving`() throws {
    let host = try Host()
    let other = try host.allocateChannel()
    let data = [UInt8].seeded(100)
    let reports = CTAPHIDPacket.reports(channel: host.channel, command: .ping, data: data)
    host.sendReport(reports[0])
    host.send(.ping, [9], on: other)
    let busy = host.receive()
    #expect(busy?.channel == other)
    #expect(error(busy) == .channelBusy)
    host.sendReport(reports[1])
    #expect(host.receive()?.data == data)
  }

  @Test func `Rest of message never comes`() throws {
    var configuration = KeyConfiguration()
    configuration.packetTimeoutMilliseconds = 300
    let host = try Host(configuration)
    host.sendReport(
      CTAPHIDPacket.reports(channel: host.channel, command: .ping, data: .seeded(100))[0])
    #expect(error(host.receive()) == .messageTimeout)
  }

  /// The limit applies to the gap between packets, not to the whole message.
  @Test func `A message that comes too slowly is given up`() throws {
    let host = try Host()
    let data = [UInt8].seeded(57 + 3 * 59)
    for report in CTAPHIDPacket.reports(channel: host.channel, command: .ping, data: data) {
      host.sendReport(report)
      usleep(200_000)
    }
    #expect(host.receive()?.data == data)
  }

  @Test func `Initialising a channel starts over`() throws {
    let host = try Host()
    host.sendReport(
      CTAPHIDPacket.reports(channel: host.channel, command: .ping, data: .seeded(100))[0])
    host.send(.initialize, [1, 2, 3, 4, 5, 6, 7, 8])
    let answer = try #require(host.receive())
    #expect(answer.channel == host.channel)
    #expect(answer.data.count == 17)
    host.send(.ping, [9])
    #expect(host.receive()?.data == [9])
  }

  // MARK: - While waiting for a touch

  /// A person who touches when the test says so.
  private struct Touch {
    private let path = "/tmp/virtual-key-touch-\(UInt64.random(in: 0 ... .max))"
    var policy: TouchPolicy { .at(.file(path)) }

    func give() { close(unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)) }
    func forget() { unsafe unlink(path) }
  }

  private func waiting(_ touch: TouchPolicy = .never) throws -> Host {
    var configuration = KeyConfiguration()
    configuration.touch = touch
    let host = try Host(configuration)
    host.send(.cbor, [CTAPCommand.selection.rawValue])
    try host.waitFor("WAITING")
    return host
  }

  @Test func `Keepalive about every100 milliseconds`() throws {
    let touch = Touch()
    defer { touch.forget() }
    let host = try waiting(touch.policy)
    let start = ContinuousClock.now
    for _ in 0..<5 {
      let message = host.receive(keepalives: true)
      #expect(message?.command == 0x3B && message?.data == [2])
    }
    #expect(ContinuousClock.now - start > .milliseconds(300))
    touch.give()
    #expect(host.receive()?.data == [0])
    #expect(host.key.trace.lines.suffix(2) == ["TOUCH", "STATUS 0x00"])
  }

  @Test func `A cancelled request ends`() throws {
    let host = try waiting()
    host.send(.cancel, [])
    #expect(host.receive()?.data == [CTAPStatus.keepaliveCancel.rawValue])
    #expect(try host.status(.getInfo) == .success)
  }

  @Test func `Cancel on another channel is not for it`() throws {
    let touch = Touch()
    defer { touch.forget() }
    let host = try waiting(touch.policy)
    let other = try host.allocateChannel()
    host.send(.cancel, [], on: other)
    touch.give()
    #expect(host.receive()?.data == [0])
  }

  @Test func `Cancel without request is ignored`() throws {
    let host = try Host()
    host.send(.cancel, [])
    #expect(try host.status(.getInfo) == .success)
  }

  @Test func `Others are told that it is busy`() throws {
    let touch = Touch()
    defer { touch.forget() }
    let host = try waiting(touch.policy)
    let other = try host.allocateChannel()
    host.send(.cbor, [CTAPCommand.getInfo.rawValue], on: other)
    let busy = host.receive()
    #expect(busy?.channel == other)
    #expect(error(busy) == .channelBusy)
    touch.give()
    #expect(host.receive()?.channel == host.channel)
  }

  @Test func `Initialize aborts the request`() throws {
    let host = try waiting()
    host.send(.initialize, [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(host.receive()?.command == CTAPHIDCommand.initialize.rawValue)
    #expect(try host.status(.getInfo) == .success)
  }

  @Test func `An unplugged key answers nothing`() throws {
    let host = try waiting()
    while host.receiveReport(timeoutMilliseconds: 0) != nil {}
    host.key.unplug()
    let start = ContinuousClock.now
    #expect(host.receive() == nil)
    #expect(ContinuousClock.now - start < Backstop.duration)
  }

  @Test func `Opening forgets old reports`() throws {
    let host = try Host()
    host.send(.ping, [1])
    try host.waitFor("PING")
    // The key is done with the first message when it has begun the second.
    host.send(.wink, [])
    try host.waitFor("WINK")
    host.key.open()
    host.send(.cbor, [CTAPCommand.getInfo.rawValue])
    try host.waitFor("STATUS 0x00")
    var commands: [UInt8] = []
    while commands.last != 0x10, let message = host.receive() { commands.append(message.command) }
    #expect(commands.last == 0x10)
    #expect(!commands.contains(0x01), "\(commands)")
  }

  @Test(arguments: [
    (TouchPolicy.deny, CTAPStatus.operationDenied), (.never, .userActionTimeout),
    (.automatic, .success), (.at(.after(milliseconds: 20)), .success),
  ])
  func `A touch is waited for with keepalives`(policy: TouchPolicy, expected: CTAPStatus) throws {
    var configuration = KeyConfiguration()
    configuration.touch = policy
    if policy == .never { configuration.touchTimeoutMilliseconds = 150 }
    #expect(try Host(configuration).status(.selection) == expected)
  }
}
