import Glibc

/// Runs a program under strace.
enum Tracing {
  /// The words in front of the program.
  ///
  /// It hides its memory from other processes, so only root may trace it: an ordinary user is given
  /// the rights for it in a user namespace of its own.
  ///
  /// - Parameters:
  ///   - log: the file that gets the calls; nil: none.
  ///   - options: more options of strace.
  /// - Returns: the words.
  static func wrapper(log: String? = nil, _ options: [String]) -> [String] {
    let rights = geteuid() == 0 ? [] : ["unshare", "--user", "--map-current-user", "--keep-caps"]
    return rights + ["strace", "-f", "-qq", "-o", log ?? "/dev/null"] + options
  }
}
