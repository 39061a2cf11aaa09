import CSPP
import LogState
import Testing

@Suite("Rule 1: a version is its bytes")
struct VersionNameTests {
  /// SHA-256 of "bytes".
  static let bytes = Digest(of: Array("bytes".utf8).span)
  static let record = RecordID(bytes: (0..<32).map(UInt8.init(_:)))
  static let file = FileID(bytes: (0..<16).map(UInt8.init(_:)))
  static let key = SigningKey(bytes: [UInt8](repeating: 0x11, count: 32))

  /// The digests were made by Python's hashlib from the text in the rule.
  @Test func `Names are digests of what the rule says`() throws {
    let record = try #require(Self.record)
    let file = try #require(Self.file)
    func name(wallet author: SigningKey?) -> String {
      ItemVersion(wallet: record, entry: Self.bytes, contents: Self.bytes, by: author).name.digest
        .hex
    }
    #expect(
      name(wallet: nil) == "5351bc836ec2bac9f9248aec394428ee98da0bfe118d5854b67434ab0df516be")
    #expect(
      name(wallet: Self.key) == "1a530c972f039e95fb961029ac9e093762a934e1a64e3d47283d7839d60102af")
    let version = ItemVersion(
      file: file, bytes: Self.bytes, contents: Self.bytes, by: Self.key, copied: nil)
    #expect(
      version.name.digest.hex == "3f8040e1038837e208c03e7a179cfd44e582b7746536405faaf6e91331329dda")
    let copy = ItemVersion(
      file: file, bytes: Self.bytes, contents: Self.bytes, by: Self.key, copied: version.name)
    #expect(
      copy.name.digest.hex == "a73ad904b1cd2b02856c3e875f607d1a3fd8df10554ef4220ebfe9d676504fd8")
  }

  @Test func `A silent writer names only its own versions`() {
    let mine = LogStateTests.file(7, 1, by: 3)
    let others = [
      LogStateTests.file(7, 1), LogStateTests.file(7, 1, by: 4), LogStateTests.file(8, 1, by: 3),
      LogStateTests.file(7, 1, by: 3, of: mine.name),
    ]
    let word = sealed(1, 3, 1, ends: [(FileID(7), Digest(1))])
    #expect(word.ended == [mine.name])
    #expect(others.allSatisfy { !word.ended.contains($0.name) })
  }

  @Test func `Equal contents are no conflict`() {
    let state = LogState(
      operation(1, 1, 1, begin(), .add(wallet(5, 1, contents: 9)), .add(wallet(6, 3))),
      operation(1, 2, 1, .add(wallet(5, 2, contents: 9)), .add(wallet(6, 4))))
    #expect(state.conflicts == [.wallet(RecordID(6))])
    #expect(state.versions(\.live).count == 4)
  }
}
