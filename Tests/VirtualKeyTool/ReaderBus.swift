import CPCSC
import Glibc
import VirtualKey

/// NFC readers in a private smart-card service; the keys are cards on them.
///
/// Each reader has two places, as vsmartcard's virtual reader has two slots. So one of them may
/// stay empty.
struct ReaderBus: Bus {
  private static let name = "Simulated Reader"

  private let service: PrivateService
  private let context: SCARDCONTEXT
  private let port: UInt16

  /// Starts the service, with readers for this many cards.
  ///
  /// - Throws: `BusError` when this computer cannot have it.
  init(places: Int) throws {
    var failure = BusError("there is no smart-card service")
    for _ in 0..<5 {
      guard let port = Self.freePorts((places + 1) / 2 * 2) else { continue }
      do {
        let service = try PrivateService(configuration: Self.configuration(places, port: port))
        do {
          let context = try Self.connect(
            until: .now + simulationPatience, readers: (places + 1) / 2)
          self.service = service
          self.context = context
          self.port = port
          return
        } catch let error as BusError {
          // Another program took a port after we looked and before we used it.
          service.end()
          failure = error
        }
      }
    }
    throw failure
  }

  /// Hides every smart-card service from programs started from here.
  static func hideReaders() {
    unsafe setenv(PrivateService.variable, "/nonexistent/pcscd.comm", 1)
  }

  func plug(_ index: Int, _ key: KeySettings, trace: Trace, announced: Bool) throws {
    let store = try key.makeStore()
    let (port, reader) = (port + UInt16(index), Self.reader(index))
    try startThread {
      var key = key
      key.configuration.transports = ["nfc"]
      VirtualCard(port: port, settings: key, store: store, trace: trace).serve {
        // The service looks only now and then.
        try? wait(for: reader, toHaveCard: false)
      }
    }
    // The service tells programs that wait for a card.
    if !announced { try wait(for: reader, toHaveCard: true) }
  }

  func remove() { service.end() }

  // MARK: - Readers

  /// pcscd's name for a place: reader and slot.
  private static func reader(_ index: Int) -> String { "\(name) 0\(index / 2) 0\(index % 2)" }

  private static func configuration(_ places: Int, port: UInt16) -> String {
    (0..<(places + 1) / 2).map { reader in
      let number = "0x" + String(Int(port) + 2 * reader, radix: 16)
      return """
        FRIENDLYNAME "\(name)"
        DEVICENAME /dev/null:\(number)
        LIBPATH \(PrivateService.driver)
        CHANNELID \(number)


        """
    }.joined()
  }

  private static func connect(
    until deadline: ContinuousClock.Instant, readers: Int
  ) throws -> SCARDCONTEXT {
    var context: SCARDCONTEXT = 0
    repeat {
      if unsafe SCardEstablishContext(DWORD(SCARD_SCOPE_SYSTEM), nil, nil, &context)
        == SCARD_S_SUCCESS
      {
        var size: DWORD = 0
        let expected = readers * 2 * (name.utf8.count + 7) + 1
        repeat {
          if unsafe SCardListReaders(context, nil, nil, &size) == SCARD_S_SUCCESS,
            Int(size) >= expected
          {
            return context
          }
          usleep(10_000)
        } while .now < deadline
        throw BusError("pcscd has no virtual reader: is vsmartcard-vpcd installed?")
      }
      usleep(10_000)
    } while .now < deadline
    throw BusError("pcscd does not answer: is it installed?")
  }

  private func wait(for reader: String, toHaveCard isThere: Bool) throws {
    let deadline = ContinuousClock.now + simulationPatience
    repeat {
      let state = unsafe reader.withCString { name in
        var state = unsafe SCARD_READERSTATE()
        unsafe state.szReader = unsafe name
        _ = unsafe SCardGetStatusChange(context, 0, &state, 1)
        return unsafe state.dwEventState
      }
      if (state & DWORD(SCARD_STATE_PRESENT) != 0) == isThere { return }
      usleep(10_000)
    } while .now < deadline
    throw BusError("\(reader) does not see that its card \(isThere ? "came" : "went")")
  }

  // MARK: - Ports

  /// The first of `count` ports in a row on which nobody listens.
  private static func freePorts(_ count: Int) -> UInt16? {
    for _ in 0..<50 {
      // Below the range from which the system chooses ports for clients.
      let first = UInt16.random(in: 20_000..<32_000)
      if (0..<UInt16(count)).allSatisfy({ isFree(first + $0) }) { return first }
    }
    return nil
  }

  private static func isFree(_ port: UInt16) -> Bool {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}
