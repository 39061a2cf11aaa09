import Testing

/// Files that `rotate` writes open with secrets that other programs get from the key.
///
/// These programs share no code with this one: Debian's fido2-assert, python-fido2, and the reader
/// in Python.
@Suite struct RotatedWrapperTests {
  @Test(arguments: [["rotate"], ["rotate", "--credential"], ["rotate", "--master-key"]])
  func `Other programs open the new wrapper`(_ command: [String]) async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let rotated = try await box.keybackup(command + ["--json"]).json()
    let id = try #require(rotated["key_id"].text)
    let namespace = rotated["namespace_id"].text ?? backup.namespaceID
    #expect((namespace != backup.namespaceID) == command.contains("--master-key"))
    let header = try KeyFile.header(
      "\(box.folder)/cspp-namespaces/\(namespace)/keybackup/keys/\(id).json")
    let salt = bytes(hex: try #require(header["prf_salt"].text))
    let credential = bytes(base64: try #require(header["credential_id"].text))
    #expect((credential != bytes(base64: backup.credentialID)) == command.contains("--credential"))

    let debian = try await box.fido2Assert(
      rpID: "keybackup:", credential: credential, inputs: [salt])
    #expect(
      debian
        == (try await box.pythonFIDO2(rpID: "keybackup:", credential: credential, inputs: [salt])))
    let read = try await box.run(
      Python.script("reader/cspp_reader.py")
        + [box.folder, "--namespace", namespace, "--prf-output", debian[0]], key: nil)
    #expect(read.code == 0, "\(read.text)")
    let opened = try JSON(read.output)
    // The CSPP envelope stays the old key slot's until the new one has opened the backup.
    let envelope = command.contains("--master-key") ? ["envelope"] : []
    #expect(opened["opened_by"].items.compactMap(\.text) == envelope + [id])
    #expect(opened["wallets"].items.count == 3 && opened["unreadable"].items.isEmpty)
  }
}
