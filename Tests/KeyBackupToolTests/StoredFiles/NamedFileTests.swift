import TestSupport
import Testing

@testable import KeyBackupTool

/// The file that a command line means, where somebody else may have chosen names.
@Suite struct NamedFileTests {
  @Test func `A name that is not UTF-8 never means another file`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    try Files.write("other", to: computers.serverHome + "/bad\u{FFFD}name")
    let script = #"cd "$1"; shift; exec "$@" "$(printf 'bad\377name')""#
    let wrapper = ["sh", "-c", script, "sh", computers.serverHome]
    for json in [[], ["--json"]] {
      let refused = try await computers.box.keybackup(
        ["file", "add"] + json, key: nil, pin: .none, home: computers.serverHome,
        wrapper: wrapper, expecting: 64)
      #expect(refused.text.contains("is not UTF-8; nothing was done"), "\(refused.text)")
      #expect(refused.text.contains("keybackup file add - --name NAME"), "\(refused.text)")
      if !json.isEmpty { #expect(try refused.json()["error"]["code"].text == "usage") }
    }
    #expect(try await computers.laptop(["file", "list", "--json"]).json()["files"].items.isEmpty)
  }
}
