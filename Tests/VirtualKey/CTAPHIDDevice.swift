/// The USB side of a key: frames, channels, keepalives and cancel (CTAP 2.1 section
/// 11.2).
///
/// One thread calls `run` from power-up to unplugging.
final class CTAPHIDDevice: UserPresence {
  private let authenticator: Authenticator
  private let pipe: HIDPipe
  private let trace: Trace
  private let unplugging: MomentWait?
  private var channels: Set<UInt32> = []
  private var assembly: CTAPHIDAssembly?
  /// The channel of the current request.
  private var busyChannel: UInt32 = 0
  /// The previous nonce of INIT, for a key that replays it.
  private var lastNonce = [UInt8](repeating: 0, count: 8)
  /// The number of touches requested.
  private var waits = 0

  init(authenticator: Authenticator, pipe: HIDPipe, unplugs: Moment? = nil) {
    self.authenticator = authenticator
    self.pipe = pipe
    trace = authenticator.trace
    unplugging = unplugs.map { MomentWait(for: $0) }
    authenticator.presence = self
  }

  /// Serves the host until it disconnects or a fault unplugs the key.
  func run() {
    while !isUnplugged {
      switch pipe.receive(timeoutMilliseconds: timeout(within: 1000)) {
      case .closed:
        return
      case .timeout:
        expireAssembly()
      case .report(let report):
        do throws(CommandFailure) {
          try handle(report)
        } catch {
          if error == .unplugged { return }
        }
      }
    }
  }

  private var isUnplugged: Bool { unplugging?.hasCome ?? false }

  /// The milliseconds until something is due, at most `limit`.
  private func timeout(within limit: Int) -> Int {
    [assembly?.deadline, unplugging?.nextLook].compactMap { $0 }
      .reduce(limit) { min($0, MomentWait.milliseconds(until: $1)) }
  }

  private func expireAssembly() {
    guard let assembly, assembly.deadline <= .now else { return }
    self.assembly = nil
    sendError(.messageTimeout, to: assembly.channel)
  }

  // MARK: - Packets

  private func handle(_ report: [UInt8]) throws(CommandFailure) {
    expireAssembly()
    switch CTAPHIDPacket(report: report) {
    case nil: return
    case .initial(let channel, let command, let length, let payload):
      if command == CTAPHIDCommand.initialize.rawValue {
        initialize(channel, length, payload)
        return
      }
      // Only a waiting request can be cancelled.
      if command == CTAPHIDCommand.cancel.rawValue { return }
      guard channels.contains(channel) else {
        sendError(.invalidChannel, to: channel)
        return
      }
      if let assembly {
        if assembly.channel == channel { self.assembly = nil }
        sendError(assembly.channel == channel ? .invalidSequence : .channelBusy, to: channel)
        return
      }
      guard length <= CTAPHIDPacket.maximumMessageLength else {
        sendError(.invalidLength, to: channel)
        return
      }
      assembly = CTAPHIDAssembly(
        channel: channel, command: command, length: length, payload: payload,
        patience: .milliseconds(authenticator.configuration.packetTimeoutMilliseconds))
    case .continuation(let channel, let sequence, let payload):
      guard assembly?.channel == channel else { return }
      guard assembly?.append(sequence: sequence, payload: payload) == true else {
        assembly = nil
        sendError(.invalidSequence, to: channel)
        return
      }
    }
    guard let message = assembly, message.isComplete else { return }
    assembly = nil
    try dispatch(message)
  }

  private func initialize(_ channel: UInt32, _ length: Int, _ payload: [UInt8]) {
    guard length == 8 else {
      sendError(.invalidLength, to: channel)
      return
    }
    let answered: UInt32
    if channel == CTAPHIDPacket.broadcast {
      answered = UInt32(channels.count + 1)
      channels.insert(answered)
    } else if channels.contains(channel) {
      // A known channel starts again.
      answered = channel
      if assembly?.channel == channel { assembly = nil }
    } else {
      sendError(.invalidChannel, to: channel)
      return
    }
    trace.write("INIT")
    let faults = authenticator.configuration.faults.map(\.kind)
    if faults.contains(.silentInitialisation) { return }
    let identifier = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: answered >> $0) }
    // Protocol 2, version 1.0.0; WINK and CBOR, no U2F messages.
    var nonce = Array(payload.prefix(8))
    if faults.contains(.oldNonce) {
      swap(&nonce, &lastNonce)
    }
    sendMessage(.initialize, to: channel, nonce + identifier + [2, 1, 0, 0, 0x0D])
  }

  private func dispatch(_ message: CTAPHIDAssembly) throws(CommandFailure) {
    let channel = message.channel
    switch CTAPHIDCommand(rawValue: message.command) {
    case .ping:
      trace.write("PING")
      sendMessage(.ping, to: channel, message.data)
    case .wink:
      trace.write("WINK")
      sendMessage(.wink, to: channel, [])
    case .cbor:
      guard !message.data.isEmpty else {
        sendError(.invalidLength, to: channel)
        return
      }
      busyChannel = channel
      if let response = try authenticator.respond(to: message.data) {
        try deliver(response, to: channel)
      }
    default:
      trace.write("COMMAND \(message.command.hexadecimal)")
      sendError(.invalidCommand, to: channel)
    }
  }

  /// Sends an answer with its faults applied.
  private func deliver(_ response: [UInt8], to channel: UInt32) throws(CommandFailure) {
    var reports = CTAPHIDPacket.reports(channel: channel, command: .cbor, data: response)
    for case .delivery(let fault, _) in authenticator.active {
      switch fault {
      case .keepalives:
        try keepAlive(channel)
        return
      case .wrongChannel:
        reports = CTAPHIDPacket.reports(channel: channel ^ 0x100, command: .cbor, data: response)
      case .twice: reports += reports
      case .cutOff:
        reports = CTAPHIDPacket.reports(
          channel: channel, command: .cbor, data: response + [UInt8](repeating: 0, count: 59)
        ).dropLast()
      case .outOfOrder: reports.reverse()
      default: continue
      }
    }
    for report in reports { pipe.send(report) }
  }

  /// Reports that it is busy until the host disconnects or starts again.
  private func keepAlive(_ channel: UInt32) throws(CommandFailure) {
    while !isUnplugged {
      sendMessage(.keepalive, to: channel, [1])
      switch pipe.receive(timeoutMilliseconds: timeout(within: 100)) {
      case .timeout: continue
      case .closed: throw .unplugged
      case .report(let report):
        // A CANCEL is ignored.
        guard
          case .initial(_, CTAPHIDCommand.initialize.rawValue, _, _) = CTAPHIDPacket(report: report)
        else { continue }
        try handle(report)
        return
      }
    }
  }

  private func sendMessage(_ command: CTAPHIDCommand, to channel: UInt32, _ data: [UInt8]) {
    for report in CTAPHIDPacket.reports(channel: channel, command: command, data: data) {
      pipe.send(report)
    }
  }

  private func sendError(_ error: CTAPHIDError, to channel: UInt32) {
    trace.write("ERROR \(error)")
    sendMessage(.error, to: channel, [error.rawValue])
  }

  // MARK: - Waiting for a touch

  func waitForTouch() -> TouchOutcome {
    let configuration = authenticator.configuration
    waits += 1
    let person = waits == configuration.untouched ? .never : configuration.touch
    if let outcome = TouchOutcome(atOnce: person) { return outcome }
    trace.write("WAITING")
    let wait = TouchWait(for: person, limit: configuration.touchTimeoutMilliseconds)
    var keepalive = ContinuousClock.now
    while true {
      if isUnplugged { return .unplugged }
      if let outcome = wait.outcome { return outcome }
      if keepalive <= .now {
        sendMessage(.keepalive, to: busyChannel, [2])
        keepalive += .milliseconds(100)
      }
      let left = MomentWait.milliseconds(until: min(keepalive, wait.nextLook))
      switch pipe.receive(timeoutMilliseconds: timeout(within: left)) {
      case .timeout: continue
      case .closed: return .unplugged
      case .report(let report):
        if let outcome = handleWhileBusy(report) { return outcome }
      }
    }
  }

  /// Handles a report while a request waits.
  ///
  /// Its own channel may cancel or start again, and others may get a channel. Everything else is
  /// answered with "busy".
  private func handleWhileBusy(_ report: [UInt8]) -> TouchOutcome? {
    guard
      case .initial(let channel, let command, let length, let payload) =
        CTAPHIDPacket(report: report)
    else { return nil }
    switch CTAPHIDCommand(rawValue: command) {
    case .initialize:
      initialize(channel, length, payload)
      return channel == busyChannel && length == 8 ? .aborted : nil
    case .cancel:
      guard channel == busyChannel else { return nil }
      trace.write("CANCEL")
      return .cancelled
    default:
      sendError(channels.contains(channel) ? .channelBusy : .invalidChannel, to: channel)
      return nil
    }
  }
}
