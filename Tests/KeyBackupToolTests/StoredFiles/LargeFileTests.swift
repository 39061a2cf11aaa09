import FoundationEssentials
import Testing

/// A file is never in memory as a whole.
@Suite struct LargeFileTests {
  /// Much more than the memory that is allowed.
  private static let size = 192 << 20
  private static let allowed = 64 << 20

  @Test func `A file of any size is added and restored in little memory`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    let box = computers.box
    let path = computers.serverHome + "/large"
    try Files.write("begins", to: path)
    try Files.extend(path, to: Self.size)
    try Files.append("ends", to: path)
    let measure = Python.script("interop/peak_memory.py") + [box.root + "/peak"]
    func expectLittle(_ what: Comment) throws {
      let kibibytes = try #require(Int(Files.text(box.root + "/peak")))
      #expect(kibibytes > 1000 && kibibytes << 10 < Self.allowed, what)
    }
    try await box.keybackup(
      ["file", "add", path], key: nil, pin: .none, home: computers.serverHome, wrapper: measure)
    try expectLittle("file add")
    let out = computers.target()
    try await box.keybackup(
      ["file", "restore", "large", "--out", out], wrapper: measure)
    try expectLittle("file restore")
    let same = try await box.run(["cmp", path, out + "/node/large"], key: nil)
    #expect(same.code == 0, "\(same.text)")
    try await box.keybackup(["verify", "--deep"], wrapper: measure)
    try expectLittle("verify --deep")
  }
}
