internal import CPCSC
internal import Glibc
internal import Synchronization

/// A card on a reader, shared with other programs but held for one session:
/// nobody else's commands come in between.
///
/// One thread uses it.
final class CardConnection: CardChannel {
  let reader: String
  private let service: SmartCardService
  private let card: SCARDHANDLE
  private let activeProtocol: DWORD
  private let isGone = Atomic(false)

  /// More than the 258 bytes that a short command can be answered with.
  private static let answerSize = 4096
  /// How long another program's session is waited for.
  private static let patience: Duration = .seconds(1)

  /// Connects to the card on a reader and takes its turn.
  ///
  /// - Throws: ``CardFailure/service(code:)``; a sharing violation when
  ///   another program has the card for itself.
  init(_ reader: String, _ service: SmartCardService) throws(CardFailure) {
    self.reader = reader
    self.service = service
    var card: SCARDHANDLE = 0
    var activeProtocol: DWORD = 0
    let protocols = DWORD(SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1)
    try unsafe PCSC.check(
      SCardConnect(
        service.context, reader, DWORD(SCARD_SHARE_SHARED), protocols, &card, &activeProtocol))
    self.card = card
    self.activeProtocol = activeProtocol
    try Self.takeTurn(card, service)
  }

  deinit {
    // The card stays powered: another program may have something open on it.
    SCardEndTransaction(card, DWORD(SCARD_LEAVE_CARD))
    SCardDisconnect(card, DWORD(SCARD_LEAVE_CARD))
  }

  /// Begins a transaction.
  ///
  /// libpcsclite waits for another program's without end, so it does that in a
  /// thread that can be left behind; disconnecting ends its wait.
  private static func takeTurn(
    _ card: SCARDHANDLE, _ service: SmartCardService
  ) throws(CardFailure) {
    let outcome = Condition<LONG?>(nil)
    do throws(PRFDeviceError) {
      try BackgroundThread.start {
        let code = SCardBeginTransaction(card)
        outcome.change { $0 = code }
        // Keeps the connection to pcscd until here.
        withExtendedLifetime(service) {}
      }
    } catch {
      throw .service(code: SCARD_E_NO_MEMORY)
    }
    let limit = MonotonicTime.now().advanced(by: patience)
    let code = outcome.wait { outcome in
      if let outcome { return .done(outcome) }
      return MonotonicTime.now() < limit ? .waitUntil(limit) : .done(SCARD_E_SHARING_VIOLATION)
    }
    if code != SCARD_S_SUCCESS { SCardDisconnect(card, DWORD(SCARD_LEAVE_CARD)) }
    try PCSC.check(code)
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

  /// Where the reader is plugged in, when it is at USB and says so.
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

  /// Whether the card is gone now or within a second: pcscd looks every 0.4.
  var isLost: Bool {
    for _ in 0..<20 {
      if !isConnected { return true }
      usleep(50_000)
    }
    return false
  }

  /// Whether the card that was connected to is still there: one that was taken
  /// away and put back is another one.
  var isConnected: Bool {
    if isGone.load(ordering: .relaxed) { return false }
    var state: DWORD = 0
    let code = unsafe SCardStatus(card, nil, nil, &state, nil, nil, nil)
    return code == SCARD_S_SUCCESS && state & DWORD(SCARD_PRESENT) != 0
  }
}
