internal import CPCSC
internal import Glibc

/// A connection to pcscd, the service that owns the readers.
///
/// Any thread may use it; its calls wait for each other.
final class SmartCardService: Sendable {
  /// The contents of a reader as pcscd knows them without querying the card.
  struct Presence: Equatable {
    var reader: String
    /// Whether a card is there.
    var hasCard: Bool
    /// Whether another program uses it exclusively.
    var isExclusive: Bool
    /// Whether the card does not react.
    var isMute: Bool
    /// pcscd's state: flags, and in the upper half a count of insertions and removals.
    var state: DWORD
    /// The number of cards inserted and removed.
    var insertion: UInt32 { UInt32(truncatingIfNeeded: state >> 16) }
  }

  let context: SCARDCONTEXT

  /// Connects to pcscd.
  ///
  /// - Throws: ``CardFailure/service(code:)``, immediately when pcscd does not run.
  init() throws(CardFailure) {
    var context: SCARDCONTEXT = 0
    try unsafe PCSC.check(SCardEstablishContext(DWORD(SCARD_SCOPE_SYSTEM), nil, nil, &context))
    self.context = context
  }

  deinit { SCardReleaseContext(context) }

  /// The names of the readers, in pcscd's order.
  func readers() throws(CardFailure) -> [String] {
    // A reader that connects in between makes the list longer: read it again.
    for _ in 0..<4 {
      var size: DWORD = 0
      var code = unsafe SCardListReaders(context, nil, nil, &size)
      if code == SCARD_E_NO_READERS_AVAILABLE { return [] }
      try PCSC.check(code)
      guard size <= 1 << 16 else { throw .malformed }
      var names = [CChar](repeating: 0, count: Int(size) + 1)
      code = unsafe SCardListReaders(context, nil, &names, &size)
      if code == SCARD_E_NO_READERS_AVAILABLE { return [] }
      if code == SCARD_E_INSUFFICIENT_BUFFER { continue }
      try PCSC.check(code)
      // The names are separated by zero bytes, with two at the end.
      return names.prefix(Int(size)).split(separator: 0).map { name in
        String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      }
    }
    throw .malformed
  }

  /// The contents of the readers now, without querying the cards.
  func presences() throws(CardFailure) -> [Presence] {
    try states(of: try readers().map { ($0, DWORD(SCARD_STATE_UNAWARE)) }, timeout: 0)
  }

  /// Waits for a change.
  ///
  /// - Parameters:
  ///   - known: readers and their known states.
  ///   - timeout: milliseconds, or `INFINITE`.
  /// - Returns: the states afterwards; unchanged ones after the timeout.
  /// - Throws: ``CardFailure/service(code:)``.
  func states(
    of known: [(reader: String, state: DWORD)], timeout: DWORD
  ) throws(CardFailure) -> [Presence] {
    guard !known.isEmpty else { return [] }
    let names = unsafe known.map { unsafe strdup($0.reader) }
    defer { for index in known.indices { unsafe free(names[index]) } }
    var states = unsafe [SCARD_READERSTATE](repeating: SCARD_READERSTATE(), count: known.count)
    for index in known.indices {
      unsafe states[index].szReader = unsafe UnsafePointer(names[index])
      unsafe states[index].dwCurrentState = known[index].state
    }
    let code = unsafe SCardGetStatusChange(context, timeout, &states, DWORD(known.count))
    if code != SCARD_E_TIMEOUT { try PCSC.check(code) }
    return known.indices.map { index in
      let state = unsafe states[index].dwEventState
      return Presence(
        reader: known[index].reader, hasCard: state & DWORD(SCARD_STATE_PRESENT) != 0,
        isExclusive: state & DWORD(SCARD_STATE_EXCLUSIVE) != 0,
        isMute: state & DWORD(SCARD_STATE_MUTE) != 0, state: state)
    }
  }

  /// Ends a wait for a change that runs in another thread.
  func cancel() { SCardCancel(context) }
}

/// PC/SC's error codes.
enum PCSC {
  /// The pseudo reader whose state changes when a reader connects or disconnects.
  static let newReader = "\\\\?PnP?\\Notification"

  static func check(_ code: LONG) throws(CardFailure) {
    guard code == SCARD_S_SUCCESS else { throw .service(code: code) }
  }
}

extension CardFailure {
  /// Whether the card or its reader is gone, or the card has lost its session.
  var isLoss: Bool {
    guard case .service(let code) = self else { return false }
    return [
      SCARD_W_REMOVED_CARD, SCARD_W_RESET_CARD, SCARD_W_UNPOWERED_CARD, SCARD_E_NO_SMARTCARD,
      SCARD_E_READER_UNAVAILABLE, SCARD_E_UNKNOWN_READER, SCARD_E_NO_READERS_AVAILABLE,
      SCARD_E_INVALID_HANDLE, SCARD_E_NO_SERVICE, SCARD_E_SERVICE_STOPPED,
    ].contains(code)
  }

  /// The error while a card is being opened.
  func opening(_ path: String) -> PRFDeviceError {
    if isLoss { return .authenticatorLost }
    switch self {
    case .service(code: SCARD_E_SHARING_VIOLATION): return .busy
    case .service(code: SCARD_W_SECURITY_VIOLATION), .service(code: SCARD_E_NO_ACCESS):
      return .permissionDenied(path: path)
    case .service(code: SCARD_E_PROTO_MISMATCH), .service(code: SCARD_W_UNSUPPORTED_CARD):
      return .notFIDO2
    case .service(code: SCARD_E_NO_MEMORY): return .outOfMemory
    case .service, .timeout: return .noAnswer
    case .refused: return .notFIDO2
    case .malformed:
      return .protocolViolation("the card's answer is not put together as ISO 7816 has it")
    }
  }
}
