internal import Glibc

extension FileProblem {
  /// The problem in words.
  var words: String {
    switch self {
    case .absent: "gone"
    case .incomplete: "empty"
    case .notTried: "not tried: nothing in its folder can be read now"
    case .interrupted: "not read: interrupted"
    case .system(ETIMEDOUT): "did not come in time: its sync program is still downloading it"
    case .notRegular: "not a regular file"
    case .tooLarge(let limit): "larger than \(limit) bytes"
    case .system(EACCES), .system(EPERM): "cannot be read: no permission"
    case .system(EIO):
      "cannot be read now: its sync program cannot give it, or the disk is failing"
    case .system(let code) where SystemCall.meansNotHere(code):
      "cannot be read now (\(SystemCall.text(code)))"
    case .system(let code): "cannot be read (\(SystemCall.text(code)))"
    }
  }
}
