internal import CPCSC
internal import Glibc
internal import Synchronization

/// A card on a reader, shared with other programs but held for one session.
///
/// No other program's commands can come in between. One thread uses it.
final class CardConnection: CardChannel {
  let reader: String
  private let service: SmartCardService
  private let card: SCARDHANDLE
  private let activeProtocol: DWORD
  private let isGone = Atomic(false)

  /// The buffer size, more than the 258 bytes of an answer to a short command.
  private static let answerSize = 4096
  /// How long to wait for another program's session.
  private static let patience: Duration = .seconds(1)

  /// Connects to the card on a reader and waits for its turn.
  ///
  /// - Throws: ``CardFailure/service(code:)``; a sharing violation when another program has
  ///   exclusive use of the card.
  init(_ reader: String, _ service: SmartCardService) throws(CardFailure) {
    self.reader = reader
    self.service = service
    let turn = try Self.takeTurn(reader, service)
    card = turn.card
    activeProtocol = turn.activeProtocol
  }

  deinit {
    Turn(card: card, activeProtocol: activeProtocol).end()
  }

  // MARK: Taking turns

  /// A connection with an open transaction.
  private struct Turn {
    let card: SCARDHANDLE
    let activeProtocol: DWORD

    /// Connects and begins a transaction; returns when no other program has one.
    init(_ reader: String, _ service: SmartCardService) throws(CardFailure) {
      var card: SCARDHANDLE = 0
      var activeProtocol: DWORD = 0
      let protocols = DWORD(SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1)
      try unsafe PCSC.check(
        SCardConnect(
          service.context, reader, DWORD(SCARD_SHARE_SHARED), protocols, &card, &activeProtocol))
      self.init(card: card, activeProtocol: activeProtocol)
      do throws(CardFailure) {
        try PCSC.check(SCardBeginTransaction(card))
      } catch {
        SCardDisconnect(card, DWORD(SCARD_LEAVE_CARD))
        throw error
      }
    }

    init(card: SCARDHANDLE, activeProtocol: DWORD) {
      self.card = card
      self.activeProtocol = activeProtocol
    }

    /// Ends the transaction; the card stays powered, since another program may be using it.
    func end() {
      SCardEndTransaction(card, DWORD(SCARD_LEAVE_CARD))
      SCardDisconnect(card, DWORD(SCARD_LEAVE_CARD))
    }
  }

  private enum Progress {
    case waiting
    case taken(Result<Turn, CardFailure>)
    /// The caller no longer wants the turn.
    case abandoned
  }

  /// Waits for a turn in a thread that can be left behind.
  ///
  /// pcscd lets both calls wait without end for another program's transaction.
  private static func takeTurn(
    _ reader: String, _ service: SmartCardService
  ) throws(CardFailure) -> Turn {
    let progress = Condition(Progress.waiting)
    do throws(PRFDeviceError) {
      try BackgroundThread.start {
        let result = Result { () throws(CardFailure) in try Turn(reader, service) }
        progress.change { progress in
          if case .abandoned = progress {
            if case .success(let turn) = result { turn.end() }
          } else {
            progress = .taken(result)
          }
        }
      }
    } catch {
      throw .service(code: SCARD_E_NO_MEMORY)
    }
    let limit = MonotonicTime.now().advanced(by: patience)
    let result: Result<Turn, CardFailure> = progress.wait { progress in
      if case .taken(let result) = progress { return .done(result) }
      guard MonotonicTime.now() >= limit else { return .waitUntil(limit) }
      progress = .abandoned
      return .done(.failure(.service(code: SCARD_E_SHARING_VIOLATION)))
    }
    return try result.get()
  }

  func transmit(_ piece: [UInt8]) throws(CardFailure) -> [UInt8] {
    var answer = [UInt8](repeating: 0, count: Self.answerSize)
    var count = DWORD(answer.count)
    var header = SCARD_IO_REQUEST(
      dwProtocol: activeProtocol, cbPciLength: DWORD(MemoryLayout<SCARD_IO_REQUEST>.size))
    do throws(CardFailure) {
      try unsafe PCSC.check(
        SCardTransmit(card, &header, piece, DWORD(piece.count), nil, &answer, &count))
    } catch {
      if error.isLoss { isGone.store(true, ordering: .relaxed) }
      throw error
    }
    return Array(answer.prefix(Int(count)))
  }

  /// The USB address of the reader, if it is a USB device and states it.
  var usbAddress: USBAddress? {
    var channel: UInt32 = 0
    var size = DWORD(MemoryLayout<UInt32>.size)
    let code = unsafe withUnsafeMutableBytes(of: &channel) { buffer in
      unsafe SCardGetAttrib(
        card, keybackup_attribute_channel_id,
        buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), &size)
    }
    return code == SCARD_S_SUCCESS ? USBAddress(channel: channel) : nil
  }

  /// Whether the card is removed now or within a second: pcscd checks every 0.4 seconds.
  var isLost: Bool {
    for _ in 0..<20 {
      if !isConnected { return true }
      usleep(50_000)
    }
    return false
  }

  /// Whether the connected card is still there; a card that was removed and put back is another
  /// one.
  var isConnected: Bool {
    if isGone.load(ordering: .relaxed) { return false }
    var state: DWORD = 0
    let code = unsafe SCardStatus(card, nil, nil, &state, nil, nil, nil)
    return code == SCARD_S_SUCCESS && state & DWORD(SCARD_PRESENT) != 0
  }
}
