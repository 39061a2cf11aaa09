internal import CLinux
internal import Glibc

/// The protection of a process that will hold secrets; it must be applied before anything else.
public enum ProcessHardening {
  /// The most memory that the process may use, 1 GiB.
  ///
  /// A security key states its number of credentials. libfido2 allocates memory for that number and
  /// wipes it at the end.
  public static let memoryLimit = 1 << 30

  /// Protects the process.
  ///
  /// - It forbids core dumps and debuggers of the same user.
  /// - It makes every file created from here on private (umask 077).
  /// - It limits the process to ``memoryLimit``.
  /// - It makes a crash end the process without output.
  /// - It keeps libdispatch from writing to the system's log, unless `LIBDISPATCH_LOG` is set: at each
  ///   start it would report there that a person may not raise a thread's priority.
  ///
  /// - Returns: the protections that failed, in words; empty when all succeeded.
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
    unsafe setenv("LIBDISPATCH_LOG", "NO", 0)
    // The Swift runtime would print the registers, which may hold part of a secret, and wait for a
    // program that reads the process's memory.
    for number in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] { signal(number, SIG_DFL) }
    return missing
  }
}
