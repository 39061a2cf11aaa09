import Testing

/// A master key that `unlock` stored on a computer, and a rotation of the master key.
@Suite struct KnownKeyAfterRotationTests {
  @Test func `What was rotated elsewhere is opened with the key and the old one forgotten`()
    async throws
  {
    let backup = try await PreparedBackup()
    let box = backup.box
    let session = try await DesktopSession(box)
    let desktop = session.environment
    try await box.keybackup(["unlock", "--for", "2h"])
    try await box.keybackup(["unlock", "--keep"], environment: desktop)

    let second = try SecondComputer(box)
    try second.part()
    try await second.keybackup(["unlock", "--for", "2h"])
    let rotated = try await second.keybackup(["rotate", "--master-key"])
    #expect(rotated.err.contains("has forgotten the old master key"), "\(rotated.text)")
    let left = try await second.keybackup(["lock", "--json"], pin: .none)
    #expect(try left.json()["forgotten"].number == 0)

    // The newest key slot belongs to the earlier namespace, so the known key is considered.
    let later = try OwnWorld(box, withKey: false)
    later.clock.advance(.seconds(1))
    try await later.run(["recovery-kit", "create", "--reveal"], pin: false)
    try await second.join()
    // The kit goes into the namespace to which the key leads, and is looked for there.
    let files = [box.root + "/page.html", box.root + "/kit.json"]
    let made = try await box.keybackup(
      ["recovery-kit", "create", "--json", "--out", files[0], "--offline", files[1]])
    #expect(made.err.contains("this computer knows only the old master key"), "\(made.text)")
    #expect(try made.json()["namespace_id"].text != backup.namespaceID)
    #expect(files.allSatisfy(Files.exists))

    let status = try await box.keybackup(
      ["status", "--json"], key: nil, pin: .none, environment: desktop, expecting: nil
    ).json()
    #expect(status["namespace_id"].text != backup.namespaceID)
    let known = status["known_in"].items
    #expect(known.map { $0["place"].text } == ["kernel-keyring", "secret-service"], "\(status)")
    #expect(known.allSatisfy { $0["namespace_id"].text == backup.namespaceID })
    let forgotten = try await box.keybackup(
      ["lock", "--json"], key: nil, pin: .none, environment: desktop)
    #expect(try forgotten.json()["forgotten"].number == 2)
    let last = try await box.keybackup(
      ["status", "--json"], key: nil, pin: .none, environment: desktop, expecting: nil)
    #expect(try last.json()["known_in"].items.isEmpty)
  }
}
