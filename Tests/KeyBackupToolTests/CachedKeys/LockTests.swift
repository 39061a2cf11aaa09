import Testing

/// `lock` names what it could not delete from this computer.
@Suite struct LockTests {
  /// If one keyring fails, the other one is still cleared, and the failure is reported.
  @Test func `Lock says what it could not forget`() async throws {
    let box = try await PreparedBackup().box
    let session = try await DesktopSession(box)
    let desktop = session.environment
    func strace(_ error: String) -> [String] {
      Tracing.wrapper(["-e", "inject=keyctl:error=\(error)"])
    }
    func lock(_ arguments: [String], kernel: String, expecting: Int32) async throws -> Outcome {
      try await box.keybackup(
        ["lock"] + arguments, key: nil, pin: .none, environment: desktop, wrapper: strace(kernel),
        expecting: expecting)
    }
    for arguments in [[], ["--all"]] {
      try await box.keybackup(["unlock", "--keep"], environment: desktop)
      _ = try await lock(arguments, kernel: "EIO", expecting: 74)
      let left = try await lock(["--json"], kernel: "ENOSYS", expecting: 0)
      #expect(try left.json()["forgotten"].number == 0)
    }
    // Also if nothing remembers that the desktop's keyring has it.
    try await box.keybackup(["unlock", "--keep"], environment: desktop)
    try Files.remove(box.home + "/.local/state/keybackup/secret-service")
    try await session.lock()
    expectFailure(
      try await lock(["--all", "--no-input"], kernel: "ENOSYS", expecting: 77), 77, says: "locked")
  }
}
