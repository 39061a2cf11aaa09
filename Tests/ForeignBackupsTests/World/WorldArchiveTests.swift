import SecretMemory
import Testing

@testable import ForeignBackups

/// Archives that anybody who knows the public key can make.
struct WorldArchiveTests {
  private static let hello = Array("Hello, World!".utf8)

  private static func file(_ path: String, _ data: [UInt8] = hello) -> (name: String, body: [UInt8])
  {
    (path, MadeArchive.body(data, path: path))
  }

  @Test func `An archive with files of all sizes opens`() throws {
    let sizes = [0, 1, 23, 24, 255, 256, 65535, 65536, 200_000]
    let contents = sizes.map { size in (0..<size).map { UInt8(truncatingIfNeeded: $0 * 7 + 200) } }
    let entries = contents.map { Self.file("folder/file-\($0.count)", $0) }
    let sealed = try MadeArchive.seal(MadeArchive.gzip(MadeArchive.tar(entries)))
    let archive = try WorldArchive(sealed: sealed, secret: secret(MadeArchive.secretKey))
    #expect(archive.files.map(\.size) == sizes)
    for (file, expected) in zip(archive.files, contents) {
      #expect(try plain(archive.contents(of: file)) == expected)
    }
  }

  @Test func `An archive without files opens`() throws {
    let archive = try WorldArchive(tar: secret(MadeArchive.tar([])))
    #expect(archive.files.isEmpty)
    #expect(
      Hex.string(WorldManifest.hash(archive.files))
        == "85c9d3437fbd13e892674f14603650fff5cb32db314d375722f39f84f501036f")
  }

  @Test func `Contents may be byte strings, and paths long`() throws {
    let path = Array(repeating: "a-folder-with-a-name", count: 12).joined(separator: "/")
    let body = MadeArchive.body(Self.hello, path: path, asByteStrings: true)
    let archive = try WorldArchive(tar: secret(MadeArchive.tar([(path, body)])))
    #expect(archive.files.map(\.path.text) == [path])
    #expect(try plain(archive.contents(of: archive.files[0])) == Self.hello)
  }

  // MARK: The sealed file

  @Test func `A sealed file with any byte changed is refused`() throws {
    let sealed = try MadeArchive.seal(MadeArchive.gzip(MadeArchive.tar([])))
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1 << UInt8(index % 8)
      // The highest bit of the ephemeral key has no meaning to X25519, but to the nonce.
      #expect(
        MadeArchive.error(of: changed) == .damaged(part: "the seal of the archive"), "\(index)")
    }
  }

  @Test func `A sealed file that was cut or has grown is refused`() throws {
    let sealed = try MadeArchive.seal(MadeArchive.gzip(MadeArchive.tar([])))
    let seal = ForeignBackupError.damaged(part: "the seal of the archive")
    for count in sealed.indices {
      #expect(MadeArchive.error(of: Array(sealed.prefix(count))) == seal, "\(count) bytes")
    }
    for more in [1, 2, 16, 4096] {
      let zeroes = [UInt8](repeating: 0, count: more)
      #expect(MadeArchive.error(of: sealed + zeroes) == seal)
      #expect(MadeArchive.error(of: zeroes + sealed) == seal)
    }
    let large = [UInt8](repeating: 0, count: WorldLimits.sealedArchive + 1)
    #expect(
      MadeArchive.error(of: large)
        == .tooLarge(part: "the sealed archive, in bytes,", limit: WorldLimits.sealedArchive))
  }

  // MARK: gzip

  @Test func `A compressed archive with any byte changed, cut or grown is refused`() throws {
    let packed = MadeArchive.gzip(MadeArchive.tar([Self.file("a")]))
    let gzip = ForeignBackupError.damaged(part: "the compressed archive (gzip)")
    // Bytes 4 to 9 of a header are the time, the level and the system, which nothing covers.
    for index in packed.indices where !(4..<10).contains(index) {
      var changed = packed
      changed[index] ^= 1 << UInt8(index % 8)
      #expect(MadeArchive.error(of: try MadeArchive.seal(changed)) != nil, "\(index)")
    }
    for count in packed.indices {
      let cut = MadeArchive.error(of: try MadeArchive.seal(Array(packed.prefix(count))))
      // What stands at the end is taken for the size, which may be over the limit.
      let isTooLarge = cut.map { $0.description.hasPrefix("the unpacked archive") } ?? false
      #expect(cut == gzip || isTooLarge, "\(count) bytes: \(cut?.description ?? "opened")")
    }
    for more in [[0], packed] {
      #expect(MadeArchive.error(of: try MadeArchive.seal(packed + more)) == gzip)
    }
    #expect(MadeArchive.error(of: try MadeArchive.seal(MadeArchive.tar([]))) == gzip)
  }

  @Test func `Nothing is unpacked beyond the size that is stated, nor beyond the limit`() throws {
    let tar = MadeArchive.tar([])
    let small = MadeArchive.gzip(tar, statedSize: tar.count - 512)
    #expect(
      MadeArchive.error(of: try MadeArchive.seal(small))
        == .damaged(part: "the compressed archive (gzip)"))
    let large = MadeArchive.gzip(tar, statedSize: WorldLimits.archive + 1)
    #expect(
      MadeArchive.error(of: try MadeArchive.seal(large))
        == .tooLarge(part: "the unpacked archive, in bytes,", limit: WorldLimits.archive))
  }

  // MARK: tar

  /// Paths that no file may have, each with the part that the message names.
  @Test(arguments: [
    "../outside", "/etc/passwd", "a/../b", "a//b", "./a", ".", "..", "a\nb", "a\u{85}b",
    String(repeating: "x", count: 256), String(repeating: "y/", count: 513) + "z",
  ])
  func `A path that leaves the folder, or is odd, is refused`(_ path: String) {
    let error = MadeArchive.error(of: MadeArchive.tar([Self.file(path)]), unpacked: ())
    #expect(error == .damaged(part: "the path \(path), which no file may have,"))
  }

  @Test(arguments: [
    ["a", "a"], ["a/b", "A/B"], ["a", "a/b"], ["a/b", "a"], ["Folder/x", "folder"],
    ["ROOT_SECRET.json"], ["oxide_backup_version"], ["root_secret.json/x"], ["É", "é"],
  ])
  func `Two files that would have one place are refused`(_ paths: [String]) {
    let last = paths.last ?? ""
    let error = MadeArchive.error(of: MadeArchive.tar(paths.map { Self.file($0) }), unpacked: ())
    #expect(
      error
        == .damaged(part: "the archive, where another file stands in the way of \(last),"))
  }

  @Test func `A body that names another path than its entry is refused`() {
    for (name, path) in [("a", "b"), ("a", "../a"), ("\u{E9}", "e\u{301}")] {
      let tar = MadeArchive.tar([(name, MadeArchive.body([1], path: path))])
      #expect(
        MadeArchive.error(of: tar, unpacked: ())
          == .damaged(part: "the entry \(name), which names another path inside,"))
    }
  }

  @Test func `A name that ends like a folder's is refused`() {
    let error = MadeArchive.error(of: MadeArchive.tar([Self.file("a/")]), unpacked: ())
    #expect(error == .damaged(part: "entry 3 of the archive, a link or a folder,"))
  }

  /// Each folder is made and synced: millions of them would be.
  @Test func `A path has at most 32 names`() {
    func error(_ count: Int) -> ForeignBackupError? {
      let path = Array(repeating: "a", count: count).joined(separator: "/")
      return MadeArchive.error(of: MadeArchive.tar([Self.file(path)]), unpacked: ())
    }
    #expect(error(32) == nil)
    let deep = Array(repeating: "a", count: 33).joined(separator: "/")
    #expect(error(33) == .damaged(part: "the path \(deep), which no file may have,"))
  }

  @Test(arguments: ["1", "2", "3", "4", "5", "6", "S"] as [Character])
  func `Links, folders, devices and sparse files are refused`(_ type: Character) {
    let start = Array(MadeArchive.tar([]).dropLast(1024))
    for body in [[], MadeArchive.body([1], path: "a")] {
      let entry = MadeArchive.entry("a", body, type: type, link: "root_secret.json")
      let tar = start + entry + [UInt8](repeating: 0, count: 1024)
      #expect(MadeArchive.error(of: tar, unpacked: ()) != nil, "\(type)")
    }
  }

  @Test func `A version or a root secret that is not there or doubled is refused`() {
    let root = ("root_secret.json", MadeArchive.root)
    func error(_ entries: [(name: String, body: [UInt8])]) -> ForeignBackupError? {
      MadeArchive.error(of: MadeArchive.tar(all: entries), unpacked: ())
    }
    let unversioned = ForeignBackupError.damaged(
      part: "the archive, which does not begin with its version,")
    #expect(error([]) == unversioned)
    #expect(error([root]) == unversioned)
    #expect(error([root, MadeArchive.version]) == unversioned)
    for version in [[1], [0, 0]] as [[UInt8]] {
      #expect(
        error([("OXIDE_BACKUP_VERSION", version), root])
          == .unsupported(part: "the archive, by its version,"))
    }
    #expect(
      error([MadeArchive.version]) == .damaged(part: "the archive, which has no root secret,"))
    #expect(
      error([MadeArchive.version, root, root])
        == .damaged(part: "the archive, with two root secrets,"))
    #expect(error([MadeArchive.version, root, MadeArchive.version]) != nil)
    #expect(
      error([MadeArchive.version, ("root_secret.json", [1])])
        == .damaged(part: "the root secret"))
  }

  @Test func `An archive that was cut, has grown or has a changed header is refused`() {
    let tar = MadeArchive.tar([Self.file("a")])
    for count in tar.indices {
      #expect(
        MadeArchive.error(of: Array(tar.prefix(count)), unpacked: ()) != nil, "\(count) bytes")
    }
    let end = ForeignBackupError.damaged(part: "the end of the archive (tar)")
    #expect(MadeArchive.error(of: tar + [0], unpacked: ()) == end)
    #expect(
      MadeArchive.error(of: tar + MadeArchive.entry("b", [1]), unpacked: ()) == end)
    // A header's sum covers it.
    let header = tar.count - 1024 - 1024
    for index in header..<header + 500 {
      var changed = tar
      changed[index] ^= 1
      #expect(MadeArchive.error(of: changed, unpacked: ()) != nil, "\(index)")
    }
    #expect(MadeArchive.error(of: tar, unpacked: ()) == nil)
  }

  @Test func `More entries or larger ones than the limits are refused`() {
    let one = MadeArchive.entry("x", [1])
    let start = Array(MadeArchive.tar([]).dropLast(1024))
    let many = (0...WorldLimits.files).flatMap { _ in one }
    let tar: [UInt8] = start + many + [UInt8](repeating: 0, count: 1024)
    #expect(
      MadeArchive.error(of: tar, unpacked: ())
        == .tooLarge(part: "the number of entries", limit: WorldLimits.files + 2))
    let large = [UInt8](repeating: 0, count: WorldLimits.entry + 1)
    #expect(
      MadeArchive.error(of: MadeArchive.tar([("x", large)]), unpacked: ())
        == .tooLarge(part: "entry 3 of the archive, in bytes,", limit: WorldLimits.entry))
  }

  // MARK: CBOR

  @Test func `A body with any byte changed, cut or grown is refused`() {
    let body = MadeArchive.body(Self.hello, path: "a")
    var accepted: [Int] = []
    for index in body.indices {
      for bit in 0..<8 {
        var changed = body
        changed[index] ^= 1 << UInt8(bit)
        let tar = MadeArchive.tar([("a", changed)])
        if MadeArchive.error(of: tar, unpacked: ()) == nil { accepted.append(index) }
      }
    }
    // The designator is a word of the app: nothing but the seal covers it.
    #expect(accepted.allSatisfy { $0 >= body.count - 7 }, "\(accepted)")
    for count in 1..<body.count {
      let tar = MadeArchive.tar([("a", Array(body.prefix(count)))])
      #expect(MadeArchive.error(of: tar, unpacked: ()) != nil, "\(count) bytes")
    }
    #expect(
      MadeArchive.error(of: MadeArchive.tar([("a", body + [0])]), unpacked: ())
        == .damaged(part: "the fields of the entry a"))
  }

  @Test func `The part of a body that is at fault is named`() {
    func error(_ body: [UInt8]) -> ForeignBackupError? {
      MadeArchive.error(of: MadeArchive.tar([("a", body)]), unpacked: ())
    }
    let other = [UInt8](repeating: 0, count: 32)
    #expect(
      error(MadeArchive.body(Self.hello, path: "a", checksum: other))
        == .damaged(part: "the contents of a, by their checksum,"))
    #expect(
      error(MadeArchive.body(Self.hello, path: "a", checksum: [0]))
        == .damaged(part: "the checksum of the entry a"))
    for designator in ["", "Orb", "orb pkg", "../x", String(repeating: "a", count: 65)] {
      #expect(
        error(MadeArchive.body(Self.hello, path: "a", designator: designator))
          == .damaged(part: "the designator of the entry a"))
    }
    // 300 is no byte; a negative number, a float and an endless array are nothing here.
    for data: [UInt8] in [
      [0x81, 0x19, 1, 44], [0x81, 0x20], [0x81, 0xF9, 0, 0], [0x9F, 1, 0xFF],
    ] {
      let body = MadeArchive.head(5, 4) + MadeArchive.text("data") + data
      #expect(error(body) == .damaged(part: "the data of the entry a"))
    }
    // Announces more than there is: nothing is allocated for it.
    for head: [UInt8] in [[0x9B], [0x5B], [0x9A], [0x5A]] {
      let body =
        MadeArchive.head(5, 4) + MadeArchive.text("data") + head
        + [UInt8](repeating: 0x7F, count: 8)
      #expect(error(body) == .damaged(part: "the data of the entry a"))
    }
  }

  @Test func `An unknown designator is read and said to be unknown`() throws {
    let body = MadeArchive.body([1], path: "a", designator: "future_pkg")
    let archive = try WorldArchive(tar: secret(MadeArchive.tar([("a", body)])))
    #expect(archive.files.map(\.isKnown) == [false])
    #expect(archive.files.map(\.designator) == ["future_pkg"])
  }
}
