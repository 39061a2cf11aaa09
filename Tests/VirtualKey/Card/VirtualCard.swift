import Glibc

/// A card in the virtual reader of vsmartcard (`vpcd`): a TCP client that receives commands, each
/// after its length in two bytes.
///
/// It runs on the thread that calls `serve`.
public final class VirtualCard: CardLine {
  /// A contactless card's answer to reset, without historical bytes.
  private static let answerToReset: [UInt8] = [0x3B, 0x80, 0x80, 0x01, 0x01]

  private let port: UInt16
  private let configuration: KeyConfiguration
  private var card: CardConfiguration
  private let store: KeyStore
  private let trace: Trace
  private var pulling: MomentWait?
  private var socket: Int32 = -1
  private var commands = 0
  private var applet: FIDOCard?

  /// Creates a card that is not on its reader yet.
  ///
  /// - Parameters:
  ///   - port: the reader's port on this computer.
  ///   - settings: the key and its card.
  ///   - store: the key's memory.
  ///   - trace: records the commands.
  public init(port: UInt16, settings: KeySettings, store: KeyStore, trace: Trace) {
    self.port = port
    configuration = settings.configuration
    card = settings.card
    self.store = store
    self.trace = trace
    pulling = settings.unplugs.map { MomentWait(for: $0) }
  }

  /// Puts the card on its reader and serves it until it is removed for good or the reader ends.
  ///
  /// - Parameter afterRemoval: returns once programs can see that the card is gone.
  public func serve(afterRemoval: () -> Void = {}) {
    while connect() {
      powerUp()
      serveCommands()
      close(socket)
      afterRemoval()
      trace.write("UNPLUGGED")
      guard let moment = card.returns else { return }
      // The causes of the removal are used up.
      card.pullAfterCommands = nil
      card.returns = nil
      pulling = nil
      configurationOfNextPower.faults.removeAll { $0.unplugs }
      moment.wait()
    }
  }

  private lazy var configurationOfNextPower = configuration

  private func powerUp() {
    let authenticator = Authenticator(
      configuration: configurationOfNextPower, store: store, trace: trace)
    applet = FIDOCard(card, authenticator: authenticator, line: self)
  }

  private func serveCommands() {
    do throws(CommandFailure) {
      while true {
        guard let command = try next(withinMilliseconds: 1000) else { continue }
        if let applet { answer(try applet.respond(to: command)) }
      }
    } catch {
      return
    }
  }

  // MARK: - The line

  func next(withinMilliseconds milliseconds: Int) throws(CommandFailure) -> [UInt8]? {
    let deadline = ContinuousClock.now + .milliseconds(milliseconds)
    while true {
      if let pulling, pulling.hasCome { throw .unplugged }
      let left = MomentWait.milliseconds(until: min(deadline, pulling?.nextLook ?? deadline))
      var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      let count = unsafe poll(&entry, 1, Int32(clamping: left))
      if count == 0 {
        if deadline <= .now { return nil }
        continue
      }
      guard count > 0 || errno == EINTR else { throw .unplugged }
      guard count > 0 else { continue }
      guard let message = message() else { throw .unplugged }
      guard message.count == 1 else {
        if let limit = card.pullAfterCommands, commands >= limit { throw .unplugged }
        commands += 1
        return message
      }
      switch message[0] {
      case 1, 2: powerUp()
      case 4: answer(Self.answerToReset)
      default: break
      }
    }
  }

  func answer(_ bytes: [UInt8]) {
    let whole = [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
    _ = unsafe whole.withUnsafeBytes {
      unsafe send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
  }

  private func message() -> [UInt8]? {
    guard let head = read(2) else { return nil }
    // Without this, every exchange waits 40 ms for an acknowledgement.
    var one: Int32 = 1
    unsafe setsockopt(
      socket, Int32(IPPROTO_TCP), TCP_QUICKACK, &one, socklen_t(MemoryLayout<Int32>.size))
    return read(Int(head[0]) << 8 | Int(head[1]))
  }

  private func read(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe recv(socket, buffer.baseAddress?.advanced(by: done), count - done, 0)
      }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { return nil }
      done += got
    }
    return bytes
  }

  /// Connects to the reader, which may not be ready yet.
  private func connect() -> Bool {
    let deadline = ContinuousClock.now + simulationPatience
    repeat {
      socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let result = unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      if result == 0 {
        var one: Int32 = 1
        unsafe setsockopt(
          socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        return true
      }
      close(socket)
      usleep(20_000)
    } while .now < deadline
    return false
  }
}
