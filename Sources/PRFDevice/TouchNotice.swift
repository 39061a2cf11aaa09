internal import Synchronization

/// Reports when a key begins to wait for a touch.
///
/// libfido2 sends the PIN and the request for the touch in one call. The request is sent only when
/// the key has accepted the PIN, and the transport can observe that.
final class TouchNotice: Sendable {
  private struct State {
    var announce: (@Sendable () -> Void)?
    var since: MonotonicTime?
  }

  /// makeCredential, getAssertion, authenticatorSelection (CTAP 2.1, section 6).
  private static let commands: [UInt8] = [0x01, 0x02, 0x0B]
  /// CTAPHID_CBOR at the beginning of a packet (CTAP 2.1, section 11.2.4).
  private static let firstPacketOfCBOR: UInt8 = 0x80 | 0x10

  private let state = Mutex(State())

  /// Begins an operation.
  ///
  /// - Parameter announce: is called once, before the key waits.
  func begin(_ announce: @escaping @Sendable () -> Void) {
    state.withLock { $0 = State(announce: announce) }
  }

  /// Ends the operation.
  func end() { state.withLock { $0 = State() } }

  /// Records that the key waits from now on, and announces it.
  func announce() {
    let announce = state.withLock { state in
      state.since = .now()
      return state.announce.take()
    }
    announce?()
  }

  /// Notes a CTAP request (command byte and CBOR) that is about to be sent.
  func sends(command: UInt8?) {
    guard let command, Self.commands.contains(command) else {
      state.withLock { $0.since = nil }
      return
    }
    announce()
  }

  /// Notes a CTAPHID packet that is about to be sent: channel, command, two bytes of length, and
  /// the message.
  func sends(packet: RawSpan) {
    guard packet.byteCount > 7, packet.byte(4) == Self.firstPacketOfCBOR else { return }
    sends(command: packet.byte(7))
  }

  /// Whether the current request is one that waits for a touch.
  var isPending: Bool { state.withLock { $0.since != nil } }

  /// Whether the current request has waited for a touch at least that long.
  func hasWaited(_ duration: Duration) -> Bool {
    guard let since = state.withLock({ $0.since }) else { return false }
    return since.advanced(by: duration) <= .now()
  }
}
