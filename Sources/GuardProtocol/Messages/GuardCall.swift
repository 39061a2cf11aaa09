// This folder is for what goes over the wire between a client and a guard: the calls, their bodies
// in JSON, and the signature. It knows no HTTP library.

/// The calls of the protocol.
public enum GuardCall: CaseIterable, Sendable {
  /// The guard's description of itself.
  case info
  /// A new account.
  case createAccount
  /// The end of an enrolment.
  case confirm
  /// The tries back.
  case reset
  /// A try.
  case evaluate
  /// The begin of a release.
  case release
  /// A released share.
  case collect
  /// Tries left and pending releases.
  case status
  /// The end of an account.
  case retire
  /// The end of a release.
  case veto

  /// The keys by which a message can be signed.
  public enum Signer: Sendable {
    /// The guard's own key.
    case guardKey
    /// The ask key: of anyone who has the folder.
    case ask
    /// The reset key: of anyone who opened the backup by this way in.
    case reset
    /// The owner key: of anyone who opened the backup.
    case owner
  }

  /// The largest body of a request or an answer, 64 KiB.
  public static let maximumBodySize = 65_536

  /// HTTP's method.
  public var method: String { self == .info ? "GET" : "POST" }

  /// The path.
  public var path: String {
    switch self {
    case .info: "/v1/info"
    case .createAccount: "/v1/accounts"
    case .confirm: "/v1/confirm"
    case .reset: "/v1/reset"
    case .evaluate: "/v1/evaluate"
    case .release: "/v1/release"
    case .collect: "/v1/collect"
    case .status: "/v1/status"
    case .retire: "/v1/retire"
    case .veto: "/v1/veto"
    }
  }

  /// The key that signs the request; of ``info`` the answer.
  public var signer: Signer {
    switch self {
    case .info: .guardKey
    case .createAccount, .evaluate, .release, .collect, .status: .ask
    case .confirm, .reset: .reset
    case .retire, .veto: .owner
    }
  }

  /// Whether a guard answers it while its clock is in doubt: these make nothing easier to open.
  public var worksWithoutClock: Bool {
    switch self {
    case .info, .status, .retire, .veto: true
    case .createAccount, .confirm, .reset, .evaluate, .release, .collect: false
    }
  }
}
