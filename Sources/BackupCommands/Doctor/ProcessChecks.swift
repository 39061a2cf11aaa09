internal import CLinux
internal import Glibc

/// Whether secrets stay in this process's memory.
enum ProcessChecks {
  /// Guarded memory that a run needs, in bytes: a PIN, keys, and the largest
  /// wallets one after the other.
  private static let need = 1 << 20

  static func run() -> [Check] { [memoryLocking, coreDumps] }

  private static var memoryLocking: Check {
    let name = "memory-locking"
    guard
      let memory = unsafe mmap(
        nil, need, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      unsafe memory != MAP_FAILED
    else {
      return .warning(name, "no memory to try it with", hint: "close other programs")
    }
    defer { unsafe munmap(memory, need) }
    if unsafe mlock(memory, need) == 0 { return .ok(name, "secrets are kept out of swap") }
    var limit = rlimit()
    unsafe getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit)
    return .warning(
      name,
      "only \(limit.rlim_cur / 1024) KiB may be locked, so secrets could reach the swap space",
      hint: "raise it to 1024 or more:  ulimit -l 1024  or, for good, a line"
        + "  * - memlock 8192  in /etc/security/limits.conf; or encrypt the swap space")
  }

  private static var coreDumps: Check {
    let name = "core-dumps"
    var limit = rlimit()
    let isLimited =
      unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0
      && limit.rlim_cur == 0
    guard isLimited, keybackup_is_dumpable() == 0 else {
      return .warning(
        name, "the system did not let this process forbid core dumps and debuggers",
        hint: "run keybackup outside of the sandbox or container that forbids prctl and setrlimit")
    }
    return .ok(name, "off, and your other programs cannot look into this one")
  }
}
