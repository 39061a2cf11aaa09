internal import CLinux
internal import Glibc

/// What a process that will hold secrets does before anything else.
public enum ProcessHardening {
  /// The most memory that the process may hold, 1 GiB.
  ///
  /// A security key announces how many credentials it has, and libfido2
  /// allocates, and on the way out wipes, room for as many as it says.
  public static let memoryLimit = 1 << 30

  /// Forbids core dumps and debuggers of the same user, makes every file
  /// created from here on private (umask 077), keeps the process within
  /// ``memoryLimit``, and has a crash end it without a word.
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
    var data = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_DATA.rawValue)
    if unsafe getrlimit(resource, &data) == 0, data.rlim_cur > rlim_t(memoryLimit) {
      data.rlim_cur = rlim_t(memoryLimit)
      if unsafe setrlimit(resource, &data) != 0 { missing.append("memory could not be limited") }
    }
    umask(0o077)
    // The Swift runtime would print the registers, which may hold a part of a
    // secret, and wait for a program that reads the process's memory.
    for number in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] { signal(number, SIG_DFL) }
    return missing
  }
}
