import Glibc
import TestSupport
import Testing

@testable import VirtualKey

/// The computer's side of an in-process key: frames and CTAP2 messages.
struct Host {
  let key: InProcessKey
  private(set) var channel: UInt32 = CTAPHIDPacket.broadcast

  /// A message as it came, without keepalives.
  struct Message: Equatable {
    var channel: UInt32
    var command: UInt8
    var data: [UInt8]
  }

  /// A CTAP2 response.
  struct Response: Equatable {
    var status: UInt8
    var value: CBOR?
  }

  init(
    _ configuration: KeyConfiguration = KeyConfiguration(), store: KeyStore = KeyStore()
  ) throws {
    key = try InProcessKey(configuration, store: store)
    key.open()
    channel = try allocateChannel()
  }

  /// Asks for a channel, as every program that opens the key does.
  func allocateChannel() throws -> UInt32 {
    let nonce = [UInt8].random(8)
    send(.initialize, nonce, on: CTAPHIDPacket.broadcast)
    let answer = try #require(receive())
    #expect(answer.channel == CTAPHIDPacket.broadcast)
    #expect(answer.data.count == 17)
    #expect(Array(answer.data.prefix(8)) == nonce)
    return answer.data[8..<12].reduce(0) { $0 << 8 | UInt32($1) }
  }

  func send(_ command: CTAPHIDCommand, _ data: [UInt8], on channel: UInt32? = nil) {
    for report in CTAPHIDPacket.reports(
      channel: channel ?? self.channel, command: command, data: data)
    {
      sendReport(report)
    }
  }

  func sendReport(_ report: [UInt8]) {
    let bytes = [0] + report
    let sent = unsafe bytes.withUnsafeBytes { unsafe key.write($0) }
    #expect(sent == 65)
  }

  /// The next report; nil when none comes in time or the key is gone.
  func receiveReport(timeoutMilliseconds: Int = Backstop.milliseconds) -> [UInt8]? {
    var report = [UInt8](repeating: 0, count: 64)
    let count = unsafe report.withUnsafeMutableBytes {
      unsafe key.read(into: $0, timeoutMilliseconds: timeoutMilliseconds)
    }
    return count == 64 ? report : nil
  }

  /// The next message that is not a keepalive, unless those are wanted.
  func receive(timeoutMilliseconds: Int = Backstop.milliseconds, keepalives: Bool = false)
    -> Message?
  {
    var message: Message?
    var length = 0
    while let report = receiveReport(timeoutMilliseconds: timeoutMilliseconds) {
      switch CTAPHIDPacket(report: report) {
      case .initial(let channel, let command, let total, let payload):
        if command == CTAPHIDCommand.keepalive.rawValue, !keepalives { continue }
        length = total
        message = Message(
          channel: channel, command: command, data: Array(payload.prefix(total)))
      case .continuation(let channel, _, let payload):
        guard let data = message?.data, message?.channel == channel else { return nil }
        message?.data += payload.prefix(length - data.count)
      case nil:
        return nil
      }
      if message?.data.count == length { return message }
    }
    return nil
  }

  /// Sends a CTAP2 command and waits for its response.
  func call(_ command: CTAPCommand, _ parameters: CBOR? = nil) throws -> Response {
    send(.cbor, [command.rawValue] + (parameters?.encoded ?? []))
    let answer = try #require(receive(), "no answer")
    #expect(answer.command == CTAPHIDCommand.cbor.rawValue)
    let rest = Array(answer.data.dropFirst())
    return Response(
      status: try #require(answer.data.first),
      value: rest.isEmpty ? nil : try CBOR(decoding: rest))
  }

  /// Sends a CTAP2 command that must succeed, and returns its value.
  func succeed(_ command: CTAPCommand, _ parameters: CBOR? = nil) throws -> CBOR {
    let response = try call(command, parameters)
    try #require(response.status == 0)
    return response.value ?? .null
  }

  /// Sends a CTAP2 command, and returns its status.
  func status(_ command: CTAPCommand, _ parameters: CBOR? = nil) throws -> CTAPStatus? {
    CTAPStatus(rawValue: try call(command, parameters).status)
  }

  /// Waits until the key has noted `line` in its trace.
  func waitFor(_ line: String) throws {
    try blockUntil("the key notes \(line)") {
      key.trace.lines.contains(line) ? nil : "\(key.trace.lines)"
    }
  }
}
