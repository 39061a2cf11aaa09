internal import CLinux
internal import Glibc

/// What a process that will hold secrets does before anything else.
public enum ProcessHardening {
  /// Forbids core dumps and debuggers of the same user, and makes every file
  /// created from here on private (umask 077).
  ///
  /// - Returns: what could not be done, in words; empty when all was done.
  public static func apply() -> [String] {
    var missing: [String] = []
    var noCore = rlimit(rlim_cur: 0, rlim_max: 0)
    if unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore) != 0 {
      missing.append("core dumps could not be switched off")
    }
    if keybackup_set_not_dumpable() != 0 {
      missing.append("the process could not be made undumpable")
    }
    umask(0o077)
    return missing
  }
}
