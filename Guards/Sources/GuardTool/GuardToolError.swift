/// How a command of `keybackup-guard` ends: the numbers of docs/exit-codes.md.
enum GuardExit: Int32 {
  case success = 0
  case usage = 64
  case dataInvalid = 65
  case unavailable = 69
  case cannotCreate = 73
  case io = 74
  case busy = 75
  case permissionDenied = 77
  case config = 78
}

/// Why a command ends early: what happened, what to do, and the exit code.
struct GuardToolError: Error, Equatable {
  /// The exit code.
  let code: GuardExit
  /// The event, in one sentence without a full stop.
  let message: String
  /// The advice; its lines are shown one by one.
  let hint: String?

  init(_ code: GuardExit, _ message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }
}
