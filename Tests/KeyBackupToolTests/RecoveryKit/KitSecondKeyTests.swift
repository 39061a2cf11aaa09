import Testing

/// Recovery kits that have a security key as their second secret.
@Suite struct KitSecondKeyTests {
  @Test func `A security key as second secret`() async throws {
    let backup = try await PreparedBackup()
    let id = try await backup.box.keybackup(["credential", "create", "--json"])
      .json()["credential_id"].text
    let made = try await backup.box.keybackup(
      ["recovery-kit", "create", "--json", "--reveal", "--secret-credential", try #require(id)]
    ).json()
    #expect(made["second_secret"].text == "security_key")
    let code = backup.box.root + "/code"
    try Files.write(try #require(made["code"].text), to: code, mode: 0o600)
    let opened = try await backup.box.keybackup(["restore", "--recovery-code-file", code])
    #expect(opened.text.contains("second secret"))
    expectFailure(
      try await backup.box.keybackup(
        ["restore", "--recovery-code-file", code, "--wait", "0"], key: ["--no-key"],
        expecting: nil), 69)

    // Another kit with another key: each opens, although the other's key is absent.
    let other = ["--state", backup.box.root + "/other.json"]
    try await backup.box.keybackup(["unlock", "--for", "1h"])
    let otherID = try await backup.box.keybackup(["credential", "create", "--json"], key: other)
      .json()["credential_id"].text
    let second = try await backup.box.keybackup(
      ["recovery-kit", "create", "--json", "--reveal", "--secret-credential", #require(otherID)],
      key: other
    ).json()
    try await backup.box.keybackup(["lock"], key: nil, pin: .none)
    let otherCode = backup.box.root + "/other-code"
    try Files.write(try #require(second["code"].text), to: otherCode, mode: 0o600)
    for (key, code) in [([], code), (other, otherCode)] {
      try await backup.box.keybackup(
        ["restore", "--recovery-code-file", code, "--wait", "0"], key: key)
    }
  }
}
