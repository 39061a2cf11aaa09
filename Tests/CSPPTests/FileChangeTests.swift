import SecretMemory
import Testing

@testable import CSPP

@Suite("Changes of files and silent writers")
struct FileChangeTests {
  private func parse(_ text: String) -> CSPPError? {
    refusal { () throws(CSPPError) in _ = try Operation(parsing: secret(text: text)) }
  }

  private func ordinary(_ changes: String) throws -> Operation {
    try Operation(
      parsing: secret(
        text: "{\"at\":1,\"writer_label\":\"w\",\"seen\":[],\"changes\":[\(changes)]}"))
  }

  /// Parses a change as a sealed operation's, where an error is one.
  private func parse(change: String) -> CSPPError? {
    refusal { () throws(CSPPError) in
      try secret(text: "[\(change)]").withBytes { (text) throws(CSPPError) in
        _ = try Operation.Change.list(JSON.parse(text), .sealed, in: text)
      }
    }
  }

  /// Seals an operation with the master key and opens it again.
  private func roundTrip(
    _ builder: consuming OperationBuilder, into text: inout SecretBytes
  ) throws -> (Operation, file: Int) {
    let masterKey = try Sample.masterKey()
    let sealed = try builder.seal(
      header: OperationHeader(
        namespaceID: masterKey.namespaceID, writerID: .random(), counter: 1, previous: nil),
      masterKey: masterKey)
    let bytes = sealed.bytes
    let file = try OperationFile(parsing: bytes.span, at: nil)
    return (try file.open(bytes, masterKey: masterKey, into: &text), bytes.count)
  }

  private static func object(_ bytes: [UInt8]) throws -> SealedObject {
    var sealer = ObjectSealer(hedge: .random(count: 32), expecting: digest(bytes))
    var output: [UInt8] = []
    try unsafe sealer.seal(bytes.span.bytes, into: &output)
    while sealer.finish(into: &output) {}
    return try sealer.result()
  }

  @Test
  func `Every change comes back as it was written`() throws {
    let (writer, file) = (WriterID.random(), FileID.random())
    let key = SigningPair.random().publicKey
    let silent = SilentWriter(
      writerID: writer, signingKey: key, label: try Silent.name("node \"1\" ☂"),
      may: [.put, .filePut])
    let ends = [
      Operation.SealedPiece(end: Silent.after, first: 1),
      Operation.SealedPiece(end: Silent.after, first: Silent.after.counter),
    ]
    var builder = OperationBuilder(at: 1, writerLabel: "w", seen: [], seenSealed: ends)
    try builder.writerAdd(silent)
    builder.silentWriterRetire(writer, key)
    builder.writerRetire(writer)
    let object = try Self.object([1, 2, 3])
    let (name, objectKey) = (object.name, object.key.revealed)
    try builder.filePut(
      file, name: Silent.name("a b"),
      version: NewFileVersion(object: object, modified: .max, mode: 0o177777),
      replaces: [digest([1])],
      origin: FileOrigin(made: digest([2]), by: key))
    builder.fileSettle(file, replaces: [digest([3]), digest([4])])
    builder.fileRemove(file, replaces: [])
    builder.fileDrop(file, versions: [digest([5])])
    var text = SecretBytes(zeroed: 0)
    let (operation, _) = try roundTrip(builder, into: &text)
    #expect(operation.seenSealed == ends && operation.seen.isEmpty)
    #expect(operation.changes.count == 7 && !operation.hasUnknownChanges)
    #expect(operation.changes[0] == .writerAdd(silent))
    #expect(operation.changes[1] == .silentWriterRetire(writer, key))
    #expect(operation.changes[2] == .writerRetire(writer))
    guard case .file(.put(let put)) = operation.changes[3],
      case .object(let found, let payload) = put.version.place
    else {
      Issue.record("no version")
      return
    }
    #expect(found == name && put.name.text == "a b" && put.fileID == file)
    #expect(try FileVersion.key(payload, in: text).revealed == objectKey)
    #expect(put.version.mode == 0o7777 && put.version.modified == UInt64(Int64.max))
    #expect(put.version.content == digest([1, 2, 3]) && put.version.size == 3)
    #expect(put.origin == FileOrigin(made: digest([2]), by: key) && put.replaces == [digest([1])])
    #expect(operation.changes[4] == .file(.settle(file, replaces: [digest([3]), digest([4])])))
    #expect(operation.changes[5] == .file(.remove(file, replaces: [])))
    #expect(operation.changes[6] == .file(.drop(file, versions: [digest([5])])))
    // Taken over into another operation, the version is the same.
    var second = OperationBuilder(at: 1, writerLabel: "w", seen: [])
    try second.filePut(
      file, name: put.name, version: NewFileVersion(copying: put.version, in: text), replaces: [])
    var copy = SecretBytes(zeroed: 0)
    let (carried, _) = try roundTrip(second, into: &copy)
    guard case .file(.put(let again)) = carried.changes[0],
      case .object(name, let payload) = again.version.place
    else {
      Issue.record("no version")
      return
    }
    #expect(try FileVersion.key(payload, in: copy).revealed == objectKey)
    #expect(again.version.content == put.version.content && again.origin == nil)
  }

  @Test
  func `Without silent writers an operation is spelled as before`() throws {
    let builder = OperationBuilder(at: 1, writerLabel: "w", seen: [])
    #expect(
      builder.finish { $0 }.text == #"{"at":1,"writer_label":"w","seen":[],"changes":[]}"#)
    let late = OperationBuilder(at: .max, writerLabel: "w", seen: [])
    #expect(late.finish { $0 }.text.hasPrefix("{\"at\":\(Int64.max),"))
    let absent = try Operation(
      parsing: secret(text: #"{"at":1,"writer_label":"w","seen":[],"changes":[]}"#))
    #expect(absent.seenSealed.isEmpty)
    let seen = Silent.after.json.dropLast()
    for wrong in ["{}", "[1]", #"[{"writer_id":"a"}]"#, "[\(seen),\"first\":0}]", "[\(seen),\"first\":4}]"]
    {
      let text = #"{"at":1,"writer_label":"w","seen":[],"seen_sealed":\#(wrong),"changes":[]}"#
      let operation = try Operation(parsing: secret(text: text))
      #expect(operation.seenSealed.isEmpty && operation.changes == [.unknown("seen_sealed")])
      #expect(operation.hasUnknownChanges)
    }
    #expect(parse(#"{"at":1,"writer_label":"w","seen":[],"seen_sealed":null,"changes":[]}"#) == nil)
    let alone = try Operation(
      parsing: secret(
        text: #"{"at":1,"writer_label":"w","seen":[],"seen_sealed":[\#(seen)}],"changes":[]}"#))
    #expect(alone.seenSealed == [Operation.SealedPiece(end: Silent.after, first: 3)])
  }

  @Test
  func `An operation with contents inside is padded, another one is not`() throws {
    func size(_ contents: Int?) throws -> Int {
      var builder = OperationBuilder(at: 1, writerLabel: "w", seen: [])
      if let contents {
        try builder.filePut(
          FileID(words: [1, 2]), name: Silent.name("n"),
          version: NewFileVersion(
            inline: SecretBytes.random(count: contents), modified: 1, mode: 0), replaces: [])
      }
      let estimate = builder.fileSize
      var text = SecretBytes(zeroed: 0)
      let (_, size) = try roundTrip(builder, into: &text)
      #expect(size <= estimate && estimate - size <= 640)
      return size
    }
    #expect(try size(0) == size(2048))
    #expect(try size(nil) < size(0) / 2)
    #expect(throws: CSPPError.tooLarge(limit: 2048)) { try size(2049) }
  }

  @Test
  func `Two versions of one file are not written, and the second one read does not count`() throws {
    var builder = OperationBuilder(at: 1, writerLabel: "w", seen: [])
    let file = FileID.random()
    let name = try Silent.name("n")
    func put(_ builder: inout OperationBuilder, _ file: FileID) throws(CSPPError) {
      try builder.filePut(
        file, name: name, version: NewFileVersion(inline: secret([1]), modified: 1, mode: 0),
        replaces: [])
    }
    try put(&builder, file)
    try put(&builder, .random())
    do throws(CSPPError) {
      try put(&builder, file)
      Issue.record("a second version")
    } catch {
      #expect(error == .duplicateField("file_id"))
    }
    var text = SecretBytes(zeroed: 0)
    let (operation, _) = try roundTrip(builder, into: &text)
    #expect(operation.repeatedFilePuts == [])
    let twice = Operation.repeatedFilePuts(in: operation.changes + operation.changes)
    #expect(twice == [2, 3])
  }

  @Test
  func `A key of small order is not authorised`() throws {
    for key: SigningKey in try Vectors.points("ed25519-refused") {
      #expect(!key.isValid)
      var builder = OperationBuilder(at: 1, writerLabel: "w", seen: [])
      do throws(CSPPError) {
        try builder.writerAdd(
          SilentWriter(
            writerID: .random(), signingKey: key, label: PathComponent("l")!, may: [.filePut]))
        Issue.record("a key of small order")
      } catch {
        #expect(error == .invalidField("signing_key"))
      }
    }
  }

  private static let good =
    #"{"file-put":{"file_id":"F","name":"n","version":{"object":"D","key":"D","size":1,"modified":2,"mode":3,"content":"D"},"replaces":["D"],"made":"D","by":"D"}}"#
    .replacing("\"F\"", with: "\"\(String(repeating: "a", count: 32))\"")
    .replacing("\"D\"", with: "\"\(String(repeating: "b", count: 64))\"")

  @Test(arguments: [
    (#""name":"n""#, #""name":"..""#, CSPPError.invalidField("name")),
    (#""name":"n""#, #""name":"a/b""#, .invalidField("name")),
    (#""name":"n","#, "", .missingField("name")),
    (#""size":1"#, #""size":1.0"#, .invalidField("size")),
    (#""size":1"#, #""size":1099511627777"#, .invalidField("size")),
    (#""mode":3"#, #""mode":4096"#, .invalidField("mode")),
    (#""mode":3"#, #""mode":-1"#, .invalidField("mode")),
    (#""modified":2"#, #""modified":"2""#, .invalidField("modified")),
    (#""key":"bb"#, #""key":""#, .invalidField("key")),
    (#""object":"b"#, #""object":""#, .invalidField("object")),
    (#""object":"b"#, #""objekt":"b"#, .missingField("object")),
    (#""size":1"#, #""size":1,"inline":"AA==""#, .invalidField("inline")),
    (#""made":"#, #""male":"#, .missingField("made")),
    (#""by":"b"#, #""by":"B"#, .invalidField("by")),
    (#""replaces":["#, #""replaces":[1,"#, .invalidField("replaces")),
    (#""file_id":"a"#, #""file_id":""#, .invalidField("file_id")),
  ])
  func `A version with one wrong field is refused`(old: String, new: String, error: CSPPError) {
    #expect(parse(change: Self.good) == nil)
    #expect(parse(change: Self.good.replacing(old, with: new, maxReplacements: 1)) == error)
  }

  @Test(
    arguments: [
      (#""inline":"AAEC","size":3"#, nil),
      (#""inline":"AAEC","size":2"#, CSPPError.invalidField("inline")),
      (#""inline":"AAEC","size":4"#, .invalidField("inline")), (#""inline":"AAE=","size":2"#, nil),
      (#""inline":"AAF=","size":2"#, .invalidField("inline")),
      (#""inline":"AA E","size":3"#, .invalidField("inline")),
      (#""inline":1,"size":3"#, .invalidField("inline")), (#""inline":"","size":0"#, nil),
      (#""inline":null,"size":0"#, .invalidField("inline")),
      (
        "\"inline\":\"\(String(repeating: "A", count: 2736))\",\"size\":2052",
        .invalidField("inline")
      ),
    ] as [(String, CSPPError?)])
  func `Contents inside have their size and one spelling`(place: String, error: CSPPError?) {
    let version =
      "{\(place),\"modified\":2,\"mode\":3,\"content\":\"\(String(repeating: "b", count: 64))\"}"
    let id = String(repeating: "a", count: 32)
    let change =
      "{\"file-put\":{\"file_id\":\"\(id)\",\"name\":\"n\",\"version\":\(version),\"replaces\":[]}}"
    #expect(parse(change: change) == error)
  }

  @Test
  func `Contents that differ from their digest are refused`() throws {
    let id = String(repeating: "a", count: 32)
    let change =
      #"{"file-put":{"file_id":"\#(id)","name":"n","version":{"inline":"AAEC","size":3,"modified":2,"mode":3,"content":"\#(digest([0, 1, 3]))"},"replaces":[]}}"#
    let text = secret(text: "{\"at\":1,\"writer_label\":\"w\",\"seen\":[],\"changes\":[\(change)]}")
    guard case .file(.put(let put)) = try Operation(parsing: text).changes.first,
      case .inline(let inline) = put.version.place
    else {
      Issue.record("no version")
      return
    }
    var bytes = SecretBytes(zeroed: 0)
    #expect(
      refusal { () throws(CSPPError) in try put.version.contents(inline, in: text, into: &bytes) }
        == .invalidField("inline"))
    #expect(bytes.count == 0)
    #expect(
      refusal { () throws(CSPPError) in
        _ = try NewFileVersion(copying: put.version, in: text)
      } == .invalidField("inline"))
  }

  @Test
  func `Unknown permissions permit nothing, unknown fields are ignored`() throws {
    let (id, key) = (String(repeating: "a", count: 32), String(repeating: "b", count: 64))
    func add(_ may: String, _ label: String = "\"l\"") -> String {
      #"{"writer-add":{"writer_id":"\#(id)","signing_key":"\#(key)","label":\#(label),"may":\#(may),"x":{}}}"#
    }
    guard case .writerAdd(let writer) = try ordinary(add(#"["fly","put"]"#)).changes.first
    else {
      Issue.record("no writer")
      return
    }
    #expect(writer.may == .put)
    for wrong in [add("[1]"), add("{}"), add("[]", #""a\u0000""#), add("[]", #""""#)] {
      #expect(try ordinary(wrong).changes == [.unknown("writer-add")])
    }
    // The key of a retirement is optional and may be null: then the writer is an ordinary one.
    func retire(_ id: String, _ key: String) -> String {
      #"{"writer-retire":{"writer_id":\#(id),"signing_key":\#(key)}}"#
    }
    #expect(
      try ordinary(retire("\"\(id)\"", "null")).changes
        == [.writerRetire(#require(WriterID(hex: id)))])
    #expect(
      try ordinary(retire("\"\(id)\"", "\"aa\"")).changes == [.unknown("writer-retire")])
    // Version 0.1 reads the writer ID too.
    #expect(throws: CSPPError.invalidField("writer_id")) {
      try ordinary(retire("\"aa\"", "null"))
    }
  }

  @Test
  func `Names are one component of a path`() throws {
    for good in [
      "a", "...", ".hidden", "a b", "ä", "日本", "-", "~", "a\\b", String(repeating: "x", count: 255),
    ] {
      #expect(PathComponent(good)?.text == good)
    }
    for bad in [
      "", ".", "..", "/", "a/b", "/a", "a/", "\0", "a\0b", "a\n", "\u{1B}[31m", "\u{7F}", "\u{85}",
      "\u{9F}",
      String(repeating: "x", count: 256), String(repeating: "ä", count: 128),
    ] { #expect(PathComponent(bad) == nil) }
    // Two names to a disk, one to Unicode.
    #expect(PathComponent("\u{E4}") != PathComponent("a\u{308}"))
  }
}
