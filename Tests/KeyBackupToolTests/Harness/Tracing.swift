import Glibc

/// Runs a program under strace.
enum Tracing {
  /// The words in front of the program.
  ///
  /// It hides its memory from other processes, so only root may trace it: an ordinary user becomes
  /// root in a user namespace. Under another name, strace could not look up what a descriptor is open
  /// on: the kernel gives that list to the namespace's root.
  ///
  /// - Parameters:
  ///   - log: the file that gets the calls; nil: none.
  ///   - options: more options of strace.
  /// - Returns: the words.
  static func wrapper(log: String? = nil, _ options: [String]) -> [String] {
    let rights = geteuid() == 0 ? [] : ["unshare", "--user", "--map-root-user"]
    return rights + ["strace", "-f", "-qq", "-o", log ?? "/dev/null"] + options
  }
}
