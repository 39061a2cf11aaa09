import FoundationEssentials
import Testing

/// Files of key slots that were damaged, or put there by somebody with access to the synced folder.
///
/// None may keep the good ones from opening the backup.
@Suite struct PlantedKeySlotTests {
  /// Changes to the plain header of a copy of the only key slot.
  static let plants: [(what: String, change: @Sendable (inout Header) -> Void)] = [
    ("an empty relying party", { $0["rp_id"] = "" }),
    ("a relying party with a zero byte", { $0["rp_id"] = #"a\u0000b"# }),
    (
      "a credential ID beyond every message",
      { $0["credential_id"] = String(repeating: "A", count: 40_000) }
    ),
    (
      "the longest credential ID",
      { $0["credential_id"] = String(repeating: "A", count: 1364) }
    ),
    ("another salt", { $0["prf_salt"] = String(repeating: "0", count: 64) }),
  ]

  @Test(arguments: plants.indices)
  func `The good file still opens`(plant: Int) async throws {
    let backup = try await PreparedBackup()
    try backup.plant { Self.plants[plant].change(&$0) }
    let listed = try await backup.box.keybackup(["wallet", "list", "--json"])
    #expect(try listed.json()["wallets"].items.count == 3, "\(Self.plants[plant].what)")
  }

  @Test func `Many key slots fit no single message`() async throws {
    let backup = try await PreparedBackup()
    for number in 10..<40 {
      try backup.plant { header in
        header["credential_id"] = String(repeating: "A", count: 298) + "\(number)"
      }
    }
    try await backup.box.keybackup(["wallet", "list"])
  }

  /// An attacker who writes to the folder chooses file names; they must not control the terminal.
  @Test(arguments: [["key", "list"], ["wallet", "list"], ["status"], ["verify"]])
  func `A file name does not steer the terminal`(command: [String]) async throws {
    let backup = try await PreparedBackup()
    let own = String(repeating: "0", count: 32)
    let name = backup.place + "/keybackup/keys/\(own)\u{1B}]0;x\u{7}.json"
    try Files.write("{}", to: name)
    let shown = try await backup.box.keybackup(
      command, pin: command == ["wallet", "list"] ? .file : .none, expecting: nil)
    #expect(shown.text.contains("x\u{FFFD}.json"), "\(shown.text)")
    #expect(!shown.text.contains("\u{1B}"))
  }
}

/// The string fields of a header, still in JSON's escapes.
struct Header {
  var text: String

  subscript(field: String) -> String {
    get { "" }
    set {
      guard let start = text.firstRange(of: "\"\(field)\":\"")?.upperBound,
        let end = text[start...].firstIndex(of: "\"")
      else { return }
      text.replaceSubrange(start..<end, with: newValue)
    }
  }
}

extension PreparedBackup {
  /// Adds an older copy of the key slot with a changed header.
  func plant(_ change: (inout Header) -> Void) throws {
    let file = String(decoding: try Files.read(wrapper), as: UTF8.self)
    let protected = try #require(JSON(Array(file.utf8))["protected"].text)
    var base64 = protected.replacing("-", with: "+").replacing("_", with: "/")
    base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
    let decoded = try #require(Data(base64Encoded: base64))
    var header = Header(text: String(decoding: decoded, as: UTF8.self))
    let id = String((0..<32).map { _ in "0123456789abcdef".randomElement() ?? "0" })
    header["key_id"] = id
    header.text = header.text.replacing(/"created_at":\d+/, with: #""created_at":1"#)
    change(&header)
    let changed = Data(header.text.utf8).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    try Files.write(
      file.replacing(protected, with: changed), to: place + "/keybackup/keys/\(id).json")
  }
}
