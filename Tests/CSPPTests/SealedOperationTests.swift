import Foundation
import SecretMemory
import Testing

@testable import CSPP

@Suite("Sealed operations")
struct SealedOperationTests {
  @Test
  func `A sealed operation opens as it was made, and its size tells nothing`() throws {
    var builder = SealedOperationBuilder(
      header: try Silent.header(2, digest([1])), at: 7, after: Silent.after)
    let file = FileID.random()
    try builder.filePut(
      file, name: Silent.name("a"),
      version: NewFileVersion(inline: secret(text: "hello"), modified: 6, mode: 0o100644),
      replaces: [digest([2]), digest([3])])
    builder.put(Sample.recordID, entry: secret(text: Sample.entry))
    builder.fileRemove(file, replaces: [digest([4])])
    #expect(builder.count == 3)
    let bytes = try Silent.seal(builder)
    let parsed = try SealedOperationFile(parsing: bytes.span, at: nil)
    #expect(parsed.header.counter == 2 && parsed.header.previous == digest([1]))
    #expect(parsed.digest == digest(bytes))
    #expect(parsed.fileName == "00000002-\(digest(bytes).hex.prefix(32)).json")
    var text = SecretBytes(zeroed: 0)
    let contents = try Silent.open(bytes, into: &text)
    #expect(contents.at == 7 && contents.after == Silent.after && contents.changes.count == 3)
    #expect(text.count == 4096)
    guard case .file(.put(let put)) = contents.changes[0],
      case .inline(let inline) = put.version.place
    else {
      Issue.record("no version")
      return
    }
    var found = SecretBytes(zeroed: 0)
    try put.version.contents(inline, in: text, into: &found)
    #expect(found.text == "hello" && put.version.mode == 0o644 && put.version.size == 5)
    #expect(put.replaces == [digest([2]), digest([3])] && put.origin == nil)
    #expect(contents.changes[2] == .file(.remove(file, replaces: [digest([4])])))
    #expect(contents.verdicts([.filePut, .put]) == [.counts, .counts, .notPermitted])
    // A time beyond the format's is its last.
    let late = SealedOperationBuilder(header: try Silent.header(), at: .max, after: Silent.after)
    var last = SecretBytes(zeroed: 0)
    #expect(try Silent.open(Silent.seal(late), into: &last).at == UInt64(Int64.max))
    let small = try Silent.seal(Silent.builder())
    #expect(
      small.count == (try Silent.operation([UInt8](repeating: 0, count: 2048))).count)
  }

  @Test
  func `Every changed, cut and added byte is refused`() throws {
    let bytes = try Silent.operation()
    let masterKey = try Sample.masterKey()
    let key = try Silent.identity()
    func refused(_ changed: [UInt8]) -> Bool {
      do throws(CSPPError) {
        try SealedOperationFile(parsing: changed.span, at: masterKey.namespaceID).verify(by: key)
        return false
      } catch {
        return true
      }
    }
    #expect(!refused(bytes))
    for place in bytes.indices {
      var changed = bytes
      changed[place] ^= 1 << UInt8(place % 7)
      #expect(refused(changed), "byte \(place)")
      changed = bytes
      changed.remove(at: place)
      #expect(refused(changed), "without byte \(place)")
      changed = bytes
      changed.insert(bytes[place], at: place)
      #expect(refused(changed), "byte \(place) twice")
    }
    for count in stride(from: 0, to: bytes.count, by: 101) {
      #expect(refused(Array(bytes.prefix(count))))
    }
  }

  @Test
  func `Another spelling is no operation`() throws {
    let bytes = try Silent.operation()
    func parse(_ changed: [UInt8]) -> CSPPError? {
      refusal { () throws(CSPPError) in
        _ = try SealedOperationFile(parsing: changed.span, at: nil)
      }
    }
    let text = String(decoding: bytes, as: UTF8.self)
    func replace(_ old: String, _ new: String) -> CSPPError? {
      parse(Array(text.replacing(old, with: new, maxReplacements: 1).utf8))
    }
    #expect(parse(bytes) == nil)
    #expect(parse(bytes + [0x0A]) == .otherSpelling)
    #expect(parse([0x20] + bytes) == .otherSpelling)
    #expect(replace(",\"box\"", ", \"box\"") == .otherSpelling)
    #expect(replace("\"version\":1", "\"version\":1,\"x\":2") == .otherSpelling)
    #expect(replace("\"box\"", "\"b\\u006fx\"") == .otherSpelling)
    #expect(replace("\"version\":1", "\"version\":2") == .unsupportedVersion)
    #expect(replace("keybackup-sealed", "keybackup-op") == .otherFormat)
    #expect(parse([]) == .empty && parse([UInt8](repeating: 0, count: 5000)) == .empty)
    #expect(parse(Array(bytes.prefix(1000))) == .truncated)
    #expect(parse(Array("[1]".utf8)) == .notAnObject)

    // The header has one spelling too.
    let signer = try Silent.signer()
    let header = try Silent.header().json
    let box = [UInt8](repeating: 9, count: 4096 + 48)
    #expect(parse(try Silent.file(box: box, signer: signer)) == nil)
    for (changed, error) in [
      (header + " ", CSPPError.otherSpelling),
      (header.replacing(":1}", with: ":1,\"x\":1}"), .otherSpelling),
      (header.replacing(":1}", with: ":0}"), .invalidField("counter")),
      (header.replacing(":1}", with: ":2}"), .invalidField("previous")),
      (header.replacing(":1}", with: ":1 }"), .otherSpelling), ("{", .truncated),
      ("{}", .missingField("namespace_id")),
    ] {
      #expect(
        parse(try Silent.file(box: box, header: changed, signer: signer)) == error, "\(changed)")
    }
    // A long header costs no work, and one with many fields no memory.
    let long = header.replacing(":1}", with: ":1,\"x\":\"\(String(repeating: "a", count: 400))\"}")
    #expect(
      parse(try Silent.file(box: box, header: long, signer: signer)) == .invalidField("protected"))
    let many = (0...64).map { "\"\($0)\":0" }.joined(separator: ",")
    #expect(parse(Array("{\(many)".utf8)) == .duplicateField("(too many fields)"))
    #expect(
      parse(Array(text.replacing("\"protected\":\"", with: "\"protected\":\"=").utf8))
        == .invalidField("protected"))
  }

  @Test
  func `Only boxes of a power of two from 4 KiB to 16 MiB are taken`() throws {
    let signer = try Silent.signer()
    func parse(_ count: Int) throws -> CSPPError? {
      let file = try Silent.file(box: [UInt8](repeating: 0, count: count), signer: signer)
      return refusal { () throws(CSPPError) in
        _ = try SealedOperationFile(parsing: file.span, at: nil)
      }
    }
    for size in [4096, 8192, 1 << 20, 1 << 24] { #expect(try parse(size + 48) == nil) }
    for size in [0, 48, 2048 + 48, 4095 + 48, 4097 + 48, 6144 + 48, 4096, (1 << 25) / 2 * 3] {
      #expect(
        try parse(size) == (size > 1 << 24 ? .tooLarge(limit: 24 << 20) : .invalidField("box")))
    }
    // Too large is refused before anything is read.
    let limited = try Silent.operation()
    #expect(
      refusal { () throws(CSPPError) in
        _ = try SealedOperationFile(parsing: limited.span, at: nil, limit: limited.count - 1)
      } == .tooLarge(limit: limited.count - 1))
    #expect(
      refusal { () throws(CSPPError) in
        _ = try SealedOperationFile(parsing: limited.span, at: .random())
      } == .contradictsPlace("namespace_id"))
  }

  @Test
  func `Another signing key, inbox, writer secret or namespace`() throws {
    let bytes = try Silent.operation()
    let masterKey = try Sample.masterKey()
    let other = MasterKey.random()
    let file = try SealedOperationFile(parsing: bytes.span, at: nil)
    let key = try Silent.identity()
    var text = SecretBytes(zeroed: 0)
    func open(
      _ key: SilentWriter.Identity, _ inbox: borrowing InboxPair, _ secret: borrowing SecretBytes
    ) -> CSPPError? {
      do throws(CSPPError) {
        _ = try file.open(by: key, inbox: inbox, writerSecret: secret, into: &text)
        return nil
      } catch {
        return error
      }
    }
    let inbox = InboxPair(of: masterKey)
    let own = masterKey.writerSecret(key)
    func signed(by key: SigningKey, _ writer: WriterID = Silent.writerID) -> SilentWriter.Identity {
      SilentWriter.Identity(writerID: writer, signingKey: key)
    }
    #expect(open(key, inbox, own) == nil && text.count == 4096)
    #expect(open(signed(by: SigningPair.random().publicKey), inbox, own) == .invalidSignature)
    #expect(text.count == 0)
    // The same key, authorised under another ID.
    #expect(
      open(signed(by: key.signingKey, .random()), inbox, own) == .contradictsPlace("writer_id"))
    for other in [
      signed(by: key.signingKey, .random()), signed(by: SigningPair.random().publicKey),
    ] { #expect(open(key, inbox, masterKey.writerSecret(other)) == .authenticationFailed) }
    #expect(open(key, inbox, secret([1])) == .invalidField("writer secret"))
    #expect(open(key, InboxPair(of: other), own) == .otherNamespace)
    // The right namespace, but sealed to another inbox.
    let foreign = try Silent.builder().seal(
      inbox: InboxPair(of: other).publicKey, writerSecret: own, signer: Silent.signer())
    #expect(Silent.refusal(foreign.bytes) == .authenticationFailed)
    // A point of small order as signing key, with the signature that fits many messages.
    let points: [SigningKey] = try Vectors.points("ed25519-refused")
    for point in points { #expect(open(signed(by: point), inbox, own) == .invalidSignature) }
  }

  @Test
  func `A box that was taken over and signed with another key does not open`() throws {
    let operation = try JSONSerialization.jsonObject(with: Data(Silent.operation()))
    let box = try #require(operation as? [String: Any]).base64("box")
    let thief = SigningPair.random()
    let bytes = try Silent.file(box: box, signer: thief)
    let writer = SilentWriter.Identity(writerID: Silent.writerID, signingKey: thief.publicKey)
    let file = try SealedOperationFile(parsing: bytes.span, at: nil)
    try file.verify(by: writer)
    let masterKey = try Sample.masterKey()
    for own in [try Silent.identity(), writer] {
      var text = SecretBytes(zeroed: 0)
      do throws(CSPPError) {
        _ = try file.open(
          by: writer, inbox: InboxPair(of: masterKey), writerSecret: masterKey.writerSecret(own),
          into: &text)
        Issue.record("opened")
      } catch {
        #expect(error == .authenticationFailed)
      }
    }
  }

  @Test
  func `A shared secret of zeroes is refused, in sealing and in opening`() throws {
    let signer = try Silent.signer()
    let points: [X25519Key] = try Vectors.points("x25519-low-order")
    #expect(points.count == 14)
    for point in points {
      #expect(!point.isValid)
      let sealed = refusal { () throws(CSPPError) in
        let builder: SealedOperationBuilder
        do { builder = try Silent.builder() } catch { throw .empty }
        _ = try builder.seal(inbox: point, writerSecret: SecretBytes(zeroed: 32), signer: signer)
      }
      #expect(sealed == .invalidField("inbox"))
      let file = try Silent.file(
        box: point.bytes + [UInt8](repeating: 3, count: 4096 + 16), signer: signer)
      #expect(Silent.refusal(file) == .invalidField("ephemeral"))
    }
    #expect(InboxPair(of: MasterKey.random()).publicKey.isValid)
  }

  @Test
  func `The text names its header, and other texts are refused`() throws {
    let header = SealedSpelling(header: try Silent.header()).headerDigest
    let after = Silent.after.json
    func text(_ text: String) throws -> CSPPError? {
      Silent.refusal(try Silent.file(text: Array(text.utf8)))
    }
    #expect(
      try text("{\"header\":\"\(header)\",\"at\":1,\"after\":\(after),\"changes\":[]}") == nil)
    #expect(
      try text("{\"header\":\"\(digest([]))\",\"at\":1,\"after\":\(after),\"changes\":[]}")
        == .contradictsPlace("header"))
    #expect(
      try text("{\"header\":\"\(header)\",\"at\":1,\"changes\":[]}") == .missingField("after"))
    #expect(
      try text("{\"header\":\"\(header)\",\"at\":-1,\"after\":\(after),\"changes\":[]}")
        == .invalidField("at"))
    #expect(try text("") == .empty)
    #expect(try text("{\"header\":") == .truncated)
    #expect(
      try text("{\"header\":\"\(header)\",\"at\":1,\"at\":1,\"after\":\(after),\"changes\":[]}")
        == .duplicateField("(any)"))
  }

  @Test
  func `A repeated random number gives no ephemeral key twice, except for the same text`() throws {
    func ephemeral(_ contents: [UInt8], _ random: UInt8, _ seed: UInt8 = 1) throws -> [UInt8] {
      var builder = try Silent.builder()
      try builder.filePut(
        FileID(words: [1, 1]), name: Silent.name("n"),
        version: NewFileVersion(inline: secret(contents), modified: 1, mode: 0), replaces: [])
      let sealed = try builder.seal(
        inbox: InboxPair(of: Sample.masterKey()).publicKey, writerSecret: SecretBytes(zeroed: 32),
        signer: SigningPair(seed: secret([UInt8](repeating: seed, count: 32))),
        random: secret([UInt8](repeating: random, count: 32)))
      let json = try #require(
        JSONSerialization.jsonObject(with: Data(sealed.bytes)) as? [String: Any])
      return Array(try json.base64("box").prefix(32))
    }
    let first = try ephemeral([1], 7)
    #expect(try ephemeral([1], 7) == first)
    #expect(try ephemeral([2], 7) != first)
    #expect(try ephemeral([1], 8) != first)
    #expect(try ephemeral([1], 7, 2) != first)
  }

  @Test
  func `Only what is permitted counts, and each refused change says why`() throws {
    let version =
      #"{"inline":"","size":0,"modified":1,"mode":0,"content":"\#(digest([]))"}"#
    func put(_ file: Int, _ more: String = "") -> String {
      let id = String(repeating: "0", count: 31) + String(file)
      return
        #"{"file-put":{"file_id":"\#(id)","name":"n","version":\#(version),"replaces":[]\#(more)}}"#
    }
    let made = ",\"made\":\"\(digest([1]))\""
    let by = ",\"by\":\"\(digest([2]))\""
    let id = String(repeating: "0", count: 32)
    let changes = [
      put(1), put(1), put(2, made), put(3, made + by), put(2),
      #"{"file-remove":{"file_id":"\#(id)","replaces":[]}}"#,
      #"{"put":{"record_id":"\#(digest([]))","entry":"00"}}"#,
      #"{"remove":{"record_id":"\#(digest([]))"}}"#,
      #"{"file-settle":{"file_id":"\#(id)","replaces":[]}}"#,
      #"{"file-drop":{"file_id":"\#(id)","versions":[]}}"#,
      #"{"writer-retire":{"writer_id":"\#(id)"}}"#,
      #"{"writer-add":{"writer_id":"\#(id)","signing_key":"\#(digest([]))","label":"l","may":[]}}"#,
      #"{"later":{}}"#,
    ]
    let header = SealedSpelling(header: try Silent.header()).headerDigest
    let json =
      "{\"header\":\"\(header)\",\"at\":1,\"after\":\(Silent.after.json),\"changes\":[\(changes.joined(separator: ","))]}"
    var text = SecretBytes(zeroed: 0)
    let contents = try Silent.open(try Silent.file(text: Array(json.utf8)), into: &text)
    let rest: [SealedContents.Verdict] =
      Array(repeating: .notForSilentWriters, count: 5) + [.unknown]
    #expect(
      contents.verdicts([.filePut, .fileRemove, .put])
        == [.counts, .repeated, .claimsOrigin, .claimsOrigin, .repeated, .counts, .counts] + rest)
    #expect(contents.verdicts([]) == Array(repeating: .notPermitted, count: 7) + rest)
    #expect(contents.verdicts(.put)[5...6] == [.notPermitted, .counts])
    let wrong = json.replacing(made + by, with: by)
    #expect(
      Silent.refusal(try Silent.file(text: Array(wrong.utf8))) == .missingField("made"))
  }

  @Test
  func `A text beyond 16 MiB is not sealed, and the largest is`() throws {
    let entry = SecretBytes(zeroed: (8 << 20) - 1024)
    var builder = try Silent.builder()
    builder.put(Sample.recordID, entry: entry)
    let file = try Silent.seal(builder)
    #expect(file.count < SizeLimits.standard.sealedOperation)
    #expect(Silent.refusal(file) == nil)
    func sealLarger() throws {
      var larger = try Silent.builder()
      larger.put(Sample.recordID, entry: entry)
      larger.put(Sample.recordID, entry: SecretBytes(zeroed: 2048))
      _ = try Silent.seal(larger)
    }
    #expect(throws: CSPPError.tooLarge(limit: 16 << 20)) { try sealLarger() }
  }
}

extension Vectors {
  private struct Points: Decodable {
    struct Case: Decodable { let point: String }
    let cases: [Case]
  }

  /// The points of a file under Tests/Vectors/crypto.
  static func points<Key: HexIdentifier>(_ name: String) throws -> [Key] {
    let file = root.appending(path: "../crypto/\(name).json")
    let points = try JSONDecoder().decode(Points.self, from: Data(contentsOf: file)).cases
    return try points.map { try #require(Key(hex: $0.point)) }
  }

  /// A file under Tests/Vectors/sealed.
  static func sealed(_ name: String) throws -> [String: Any] { try json("../sealed/\(name).json") }
}
