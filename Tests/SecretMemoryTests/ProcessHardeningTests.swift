import Glibc
import SecretMemory
import Testing

/// Each case runs in a process of its own, because hardening cannot be undone.
@Suite("ProcessHardening")
struct ProcessHardeningTests {
  @Test
  func `No core dump, not dumpable, private files, bounded memory`() async {
    await #expect(processExitsWith: .success) {
      try #require(dumpable() == 1, "the test says nothing if it starts undumpable")
      #expect(ProcessHardening.apply().isEmpty)
      var limit = rlimit(rlim_cur: 1, rlim_max: 1)
      #expect(unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0)
      #expect(limit.rlim_cur == 0)
      #expect(limit.rlim_max == 0)
      #expect(unsafe getrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit) == 0)
      #expect(limit.rlim_cur <= rlim_t(ProcessHardening.memoryLimit))
      #expect(umask(0) == 0o077)
      #expect(dumpable() == 0)
    }
  }

  @Test
  func `Can be asked for twice`() async {
    await #expect(processExitsWith: .success) {
      #expect(ProcessHardening.apply().isEmpty)
      #expect(ProcessHardening.apply().isEmpty)
    }
  }
}

/// The value of prctl(PR_GET_DUMPABLE): 1 yes, 0 no.
///
/// Swift imports no variadic C function, so it is looked up by name. Without arguments beyond the
/// first, the calling convention is the same.
private func dumpable() -> Int32 {
  typealias Prctl = @convention(c) (Int32) -> Int32
  guard let symbol = unsafe dlsym(nil, "prctl") else { return -1 }
  let getDumpable: Int32 = 3  // PR_GET_DUMPABLE, in a header that Swift's Glibc leaves out
  return unsafe unsafeBitCast(symbol, to: Prctl.self)(getDumpable)
}
