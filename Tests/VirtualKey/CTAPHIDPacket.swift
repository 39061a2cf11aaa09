/// CTAPHID commands (CTAP 2.1 section 11.2.9), without the frame type bit.
enum CTAPHIDCommand: UInt8, Sendable {
  case ping = 0x01
  case message = 0x03
  case lock = 0x04
  case initialize = 0x06
  case wink = 0x08
  case cbor = 0x10
  case cancel = 0x11
  case keepalive = 0x3B
  case error = 0x3F
}

/// The codes of a CTAPHID ERROR message.
enum CTAPHIDError: UInt8, Sendable {
  case invalidCommand = 0x01
  case invalidLength = 0x03
  case invalidSequence = 0x04
  case messageTimeout = 0x05
  case channelBusy = 0x06
  case invalidChannel = 0x0B
}

/// One 64-byte report in either direction.
enum CTAPHIDPacket: Equatable, Sendable {
  /// The first packet of a message; `length` is that of the whole message.
  case initial(channel: UInt32, command: UInt8, length: Int, payload: [UInt8])
  case continuation(channel: UInt32, sequence: UInt8, payload: [UInt8])

  static let reportLength = 64
  static let broadcast: UInt32 = 0xFFFF_FFFF
  /// The size of one initial and 128 continuation packets.
  static let maximumMessageLength = 57 + 128 * 59

  /// Parses a report of 64 bytes; nil for any other length.
  init?(report: [UInt8]) {
    guard report.count == Self.reportLength else { return nil }
    let channel = report[0..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    if report[4] & 0x80 != 0 {
      self = .initial(
        channel: channel, command: report[4] & 0x7F, length: Int(report[5]) << 8 | Int(report[6]),
        payload: Array(report[7...]))
    } else {
      self = .continuation(channel: channel, sequence: report[4], payload: Array(report[5...]))
    }
  }

  /// The reports that carry one message.
  static func reports(channel: UInt32, command: CTAPHIDCommand, data: [UInt8]) -> [[UInt8]] {
    let prefix = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: channel >> $0) }
    var rest = data[...]
    var reports: [[UInt8]] = []
    func add(_ header: [UInt8]) {
      let payload = rest.prefix(reportLength - prefix.count - header.count)
      rest = rest.dropFirst(payload.count)
      let report = prefix + header + payload
      reports.append(report + [UInt8](repeating: 0, count: reportLength - report.count))
    }
    add([command.rawValue | 0x80, UInt8(data.count >> 8), UInt8(data.count & 0xFF)])
    var sequence: UInt8 = 0
    while !rest.isEmpty {
      add([sequence])
      sequence += 1
    }
    return reports
  }
}

/// A message that still needs more packets.
struct CTAPHIDAssembly {
  let channel: UInt32
  let command: UInt8
  private let length: Int
  private(set) var data: [UInt8]
  private var sequence: UInt8 = 0
  /// The time by which the next packet must arrive.
  private(set) var deadline: ContinuousClock.Instant

  private let patience: Duration

  init(channel: UInt32, command: UInt8, length: Int, payload: [UInt8], patience: Duration) {
    self.patience = patience
    self.channel = channel
    self.command = command
    self.length = length
    data = Array(payload.prefix(length))
    deadline = .now + patience
  }

  var isComplete: Bool { data.count == length }

  /// Adds the next packet; false if it is not the expected one.
  mutating func append(sequence: UInt8, payload: [UInt8]) -> Bool {
    guard sequence == self.sequence else { return false }
    self.sequence += 1
    deadline = .now + patience
    data += payload.prefix(length - data.count)
    return true
  }
}
