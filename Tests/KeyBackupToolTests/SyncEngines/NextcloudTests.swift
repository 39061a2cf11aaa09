import Testing

/// The real desktop client of Nextcloud, and a server that the tests bring.
@Suite struct NextcloudTests {
  @Test func `A client says what it has uploaded, and no more`() async throws {
    let cloud = try await NextcloudFolder()
    let made = try await cloud.computer.keybackup(["init", "--json", cloud.computer.folder]).json()
    #expect(made["engine"].text == "nextcloud" && made["warnings"].items.isEmpty, "\(made)")
    try await cloud.uploaded()
    try await cloud.computer.write("one", "One")
    try await cloud.uploaded()

    // With the server gone, a new wallet and an edited one are still to go.
    cloud.stopServer()
    try await cloud.computer.write("one", "One, edited")
    try await cloud.computer.write("two", "Two")
    let waiting = try await cloud.computer.isSynchronised()
    #expect(waiting.0 == .bool(false) && waiting.code == 75, "\(waiting)")
    try await cloud.wait(for: "still to go", .bool(false))
    try await cloud.startServer()
    try await cloud.uploaded()

    // The server refuses a file: the client reports errors.
    try cloud.refuseUploads()
    try await cloud.computer.write("three", "Three")
    try await cloud.wait(for: "it reports", .bool(false))

    cloud.stopClient()
    try await cloud.wait(for: "does not run", .null)
    #expect(try await cloud.computer.restored() == ["One, edited", "Three", "Two"])
  }
}
