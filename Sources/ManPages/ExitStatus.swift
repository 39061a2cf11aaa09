/// An exit code of `keybackup`.
struct ExitStatus {
  /// The number.
  let code: Int
  /// The word in JSON; with commas between them where a number has several.
  let word: String
  /// When a command ends with it.
  let text: String

  /// The rule for a number that is not in the list.
  static let unknown = "Treat an unknown code as failure."

  /// All of them.
  static let all = [
    ExitStatus(code: 0, word: "", text: "Done."),
    ExitStatus(code: 64, word: "usage", text: "The command line is wrong."),
    ExitStatus(
      code: 65, word: "data-invalid, guard-wrong",
      text: "Something does not parse or authenticate, or a guard's answer is wrong."),
    ExitStatus(
      code: 66, word: "no-input", text: "No such file, folder, wallet, namespace or way in."),
    ExitStatus(
      code: 69,
      word: "no-authenticator, library-missing, guards-unreachable, guard-program-missing, "
        + "program-missing, login-failed",
      text: "No security key is in reach, a program or library is not installed, or too few "
        + "guards help."),
    ExitStatus(code: 70, word: "internal", text: "A mistake in keybackup."),
    ExitStatus(
      code: 73, word: "cannot-create, namespace-exists",
      text: "The output cannot be made, or it is there already."),
    ExitStatus(code: 74, word: "io", text: "Reading or writing failed."),
    ExitStatus(
      code: 75, word: "incomplete, busy, too-early, draft-expired",
      text: "Not synchronised yet, in use, or too early. Try again."),
    ExitStatus(
      code: 77, word: "permission-denied", text: "A device or file must not be opened."),
    ExitStatus(
      code: 78, word: "config",
      text: "The settings or the environment are wrong, or a file that others can read holds a "
        + "PIN."),
    ExitStatus(code: 80, word: "wrong-key", text: "This security key is no key of this backup."),
    ExitStatus(code: 81, word: "pin-invalid", text: "The PIN was wrong."),
    ExitStatus(
      code: 82, word: "pin-blocked, guard-tries-used",
      text: "The key accepts no PIN. Unplug it or reset it: the text says which. Or the guards "
        + "accept none any more."),
    ExitStatus(code: 83, word: "pin-not-set", text: "The key has no PIN yet."),
    ExitStatus(
      code: 84, word: "touch-timeout, login-timeout",
      text: "Nobody touched the key, or logged in, in time."),
    ExitStatus(
      code: 85, word: "denied, tries-spent, vetoed, invite-refused, login-refused",
      text: "Somebody refused or cancelled, or guards refuse."),
    ExitStatus(code: 86, word: "prf-unsupported", text: "The key has no hmac-secret."),
    ExitStatus(code: 87, word: "partial", text: "Done in part. Each failure is listed."),
    ExitStatus(
      code: 88, word: "at-risk",
      text: "Fewer than two ways in count (status), or guards report tries or logins that are not "
        + "yours (guard status)."),
    ExitStatus(code: 89, word: "rollback", text: "The folder was rolled back or forked."),
    ExitStatus(
      code: 90, word: "ambiguous", text: "Several keys, wallets or namespaces fit. Name one."),
    ExitStatus(
      code: 91, word: "authenticator-lost", text: "The key was pulled out on the way."),
    ExitStatus(
      code: 92, word: "pin-last-tries",
      text: "Two or fewer tries are left, and --allow-last-tries was not given."),
    ExitStatus(code: 93, word: "authenticator-full", text: "The key has no room left."),
    ExitStatus(code: 94, word: "conflict", text: "A conflict awaits a decision."),
    ExitStatus(code: 130, word: "interrupted", text: "Interrupted."),
  ]
}
