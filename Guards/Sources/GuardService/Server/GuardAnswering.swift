public import GuardProtocol

// This folder is for the server: HTTP, TLS, limits, logs and metrics. It knows how a request comes
// and how an answer goes, and leaves to others what the answer is.

/// A guard, as the server sees it.
public protocol GuardAnswering: Sendable {
  /// Answers a call.
  ///
  /// - Parameters:
  ///   - call: the call.
  ///   - body: the body, at most ``GuardCall/maximumBodySize``.
  ///   - key: the header ``GuardSignature/keyHeader``.
  ///   - signature: the header ``GuardSignature/signatureHeader``.
  /// - Returns: HTTP's status and the body; a refusal is an answer too.
  func answer(_ call: GuardCall, body: [UInt8], key: String?, signature: String?) async
    -> GuardAnswer

  /// The state of the guard, for those who watch it.
  func state() async -> GuardState
}

extension GuardAccountService: GuardAnswering {}
