// This folder is for authenticators that are cards on a reader, over PC/SC. Transport uses
// CardLink; Discovery uses the readers and the wait for cards. The PRF is not known here.

internal import CFido2
internal import Synchronization

/// A FIDO card as libfido2's transport, with messages instead of CTAPHID frames.
///
/// The device's thread uses it; a CANCEL comes from another thread.
final class CardTransport: Sendable {
  private enum Request {
    /// libfido2's nonce, to be returned.
    case initialisation(nonce: [UInt8])
    case cbor([UInt8])
    case message([UInt8])
  }

  /// The PC/SC connection; nil for another channel.
  private let connection: CardConnection?
  private let applet: FIDOApplet
  private let version: FIDOApplet.Version
  /// The last request of libfido2.
  ///
  /// It is executed when libfido2 asks for the answer, since only that call states the time limit.
  private let request = Mutex<Request?>(nil)
  private let failure = Mutex<CardFailure?>(nil)
  /// Is notified of each request.
  private let notice: TouchNotice

  /// Connects to the card on a reader and selects its FIDO applet.
  ///
  /// - Throws: the errors of opening.
  init(reader: String, path: String, _ notice: TouchNotice) throws(PRFDeviceError) {
    self.notice = notice
    let connection: CardConnection
    do throws(CardFailure) {
      connection = try CardConnection(reader, SmartCardService())
    } catch {
      throw error.opening(path)
    }
    self.connection = connection
    applet = FIDOApplet(connection)
    do throws(CardFailure) {
      guard let version = try applet.select() else { throw .refused(.success) }
      self.version = version
    } catch {
      if error != .refused(.success), connection.isLost { throw .authenticatorLost }
      throw error.opening(path)
    }
  }

  /// Selects the FIDO applet behind a channel, which is lost with its first failure.
  ///
  /// - Throws: ``PRFDeviceError/notFIDO2``.
  init(over channel: any CardChannel, _ notice: TouchNotice) throws(PRFDeviceError) {
    self.notice = notice
    connection = nil
    applet = FIDOApplet(channel, pause: 0)
    guard let version = try? applet.select() else { throw .notFIDO2 }
    self.version = version
  }

  /// Whether the card is still on the reader.
  var isConnected: Bool { connection?.isConnected ?? (lastFailure == nil) }

  /// Whether the card was removed, or the channel failed.
  var isLost: Bool { connection?.isLost ?? (lastFailure != nil) }

  /// The reason why the last exchange failed.
  var lastFailure: CardFailure? { failure.withLock { $0 } }

  // MARK: libfido2's side

  private static let answersCBOR: UInt8 = 0x04
  private static let answersNoMessages: UInt8 = 0x08

  /// Accepts a message; returns 0, or -1 for a message that a card cannot use.
  fileprivate func take(_ command: UInt8, _ payload: [UInt8]) -> Int32 {
    let taken: Request
    switch Int32(command) {
    case CTAP_CMD_INIT: taken = .initialisation(nonce: payload)
    case CTAP_CMD_CBOR:
      notice.sends(command: payload.first)
      taken = .cbor(payload)
    case CTAP_CMD_MSG: taken = .message(payload)
    case CTAP_CMD_CANCEL:
      applet.cancel()
      return 0
    default: return -1
    }
    request.withLock { $0 = taken }
    return 0
  }

  /// The answer to the last message; `nil` when there is none.
  fileprivate func answer(milliseconds: Int32) -> [UInt8]? {
    guard let request = request.withLock({ $0.take() }) else { return nil }
    let time = milliseconds < 0 ? Duration.seconds(600) : .milliseconds(Int(milliseconds))
    do throws(CardFailure) {
      switch request {
      case .initialisation(let nonce):
        let flags =
          version == .u2f ? Self.answersCBOR : Self.answersCBOR | Self.answersNoMessages
        // The CTAPHID form: nonce, channel, four bytes of versions, flags.
        return nonce + [0, 0, 0, 1] + [2, 0, 0, 0] + [flags]
      case .cbor(let bytes):
        return try applet.send(bytes, until: MonotonicTime.now().advanced(by: time))
      case .message(let bytes):
        return try applet.send(raw: bytes)
      }
    } catch {
      failure.withLock { $0 = error }
      return nil
    }
  }
}

extension DeviceHandle {
  /// Opens a card as a device with getInfo.
  ///
  /// - Returns: libfido2's status.
  func open(over transport: CardTransport) -> FIDOStatus {
    var io = fido_dev_io_t.card
    _ = unsafe fido_dev_set_io_functions(pointer, &io)
    var functions = fido_dev_transport_t.card
    _ = unsafe fido_dev_set_transport_functions(pointer, &functions)
    let path = OpenCards.table.register(transport)
    defer { OpenCards.table.unregister(path) }
    return FIDOStatus(code: unsafe fido_dev_open(pointer, path))
  }
}

extension fido_dev_io_t {
  /// The functions for opening and closing.
  ///
  /// The messages do not use `read` and `write`, but libfido2 requires them.
  fileprivate static var card: fido_dev_io_t {
    unsafe fido_dev_io_t(
      open: { path in
        guard let path = unsafe path,
          let transport = OpenCards.table.find(unsafe String(cString: path))
        else { return nil }
        return unsafe Unmanaged.passRetained(transport).toOpaque()
      },
      close: { handle in
        guard let handle = unsafe handle else { return }
        unsafe Unmanaged<CardTransport>.fromOpaque(handle).release()
      },
      read: { _, _, _, _ in -1 },
      write: { _, _, _ in -1 })
  }
}

extension fido_dev_transport_t {
  fileprivate static var card: fido_dev_transport_t {
    unsafe fido_dev_transport_t(
      rx: { device, _, buffer, count, milliseconds in
        guard let handle = unsafe fido_dev_io_handle(device), let buffer = unsafe buffer else {
          return -1
        }
        let transport = unsafe Unmanaged<CardTransport>.fromOpaque(handle).takeUnretainedValue()
        guard let answer = transport.answer(milliseconds: milliseconds), answer.count <= count
        else { return -1 }
        unsafe UnsafeMutableRawBufferPointer(start: buffer, count: count).copyBytes(from: answer)
        return Int32(answer.count)
      },
      tx: { device, command, payload, count in
        guard let handle = unsafe fido_dev_io_handle(device) else { return -1 }
        let transport = unsafe Unmanaged<CardTransport>.fromOpaque(handle).takeUnretainedValue()
        return transport.take(command, unsafe CBytes.array(payload, count))
      })
  }
}

/// The link of a handle to an authenticator that is a card.
final class CardLink: Sendable {
  private let makeTransport: @Sendable (TouchNotice) throws(PRFDeviceError) -> CardTransport
  private let transport = Mutex<CardTransport?>(nil)

  init(reader: String, path: String) {
    makeTransport = { notice throws(PRFDeviceError) in
      try CardTransport(reader: reader, path: path, notice)
    }
  }

  init(over channel: any CardChannel) {
    makeTransport = { notice throws(PRFDeviceError) in
      try CardTransport(over: channel, notice)
    }
  }

  /// Whether the card has been on the reader ever since it was connected.
  var isConnected: Bool { transport.withLock { $0 }?.isConnected ?? false }

  /// Whether the card is removed now or within a second.
  var isLost: Bool { transport.withLock { $0 }?.isLost ?? true }

  /// Connects to the card.
  ///
  /// - Throws: the errors of opening.
  func connect(_ notice: TouchNotice) throws(PRFDeviceError) -> CardTransport {
    let made = try makeTransport(notice)
    transport.withLock { $0 = made }
    return made
  }

  /// Releases the card once the handle has done so.
  func close() {
    transport.withLock { $0 = nil }
  }
}

/// The cards that libfido2 is about to open in this process.
enum OpenCards {
  static let table = OpenPathTable<CardTransport>(prefix: "card:")
}
