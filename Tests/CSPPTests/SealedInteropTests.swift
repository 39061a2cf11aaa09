import Foundation
import SecretMemory
import TestSupport
import Testing

@testable import CSPP

/// Python code that was written from docs/format.md and this module read what the other wrote.
@Suite("Independent silent writer and reader")
struct SealedInteropTests {
  @Test
  func `Keys and operations that Python wrote with known random bytes`() throws {
    let vectors = try Vectors.sealed("operations")
    let keys = try vectors.object("keys")
    let masterKey = try MasterKey(secret(hex: keys.string("master_key")))
    let inbox = InboxPair(of: masterKey)
    let writer: WriterID = try keys.id("writer_id")
    let signer = try SigningPair(seed: secret(hex: keys.string("seed")))
    let identity = SilentWriter.Identity(writerID: writer, signingKey: signer.publicKey)
    let own = masterKey.writerSecret(identity)
    #expect(try inbox.publicKey.hex == keys.string("inbox"))
    #expect(try Hex.string(inbox.secret.revealed) == keys.string("inbox_private"))
    #expect(try Hex.string(own.revealed) == keys.string("writer_secret"))
    #expect(try signer.publicKey.hex == keys.string("signing_key"))

    let operations = try vectors.list("operations")
    #expect(operations.count == 3)
    var previous: Digest?
    for (index, operation) in operations.enumerated() {
      let file = try operation.base64("file")
      let parsed = try SealedOperationFile(parsing: file.span, at: masterKey.namespaceID)
      #expect(try parsed.fileName == operation.string("name") && parsed.header.previous == previous)
      var text = SecretBytes(zeroed: 0)
      let contents = try parsed.open(
        by: identity, inbox: inbox, writerSecret: own, into: &text)
      #expect(try UInt64(contents.changes.count) == operation.number("changes"))
      #expect(
        try contents.after == keys.seen("after") && contents.at == 1_800_000_101 + UInt64(index))
      previous = parsed.digest
      // Written again with the same random bytes, it is the same file.
      var builder = SealedOperationBuilder(
        header: parsed.header, at: contents.at, after: contents.after)
      for change in contents.changes { try add(change, text, &builder) }
      let again = try builder.seal(
        inbox: inbox.publicKey, writerSecret: own, signer: signer,
        random: secret(hex: operation.string("random")))
      let hasUnknown = contents.verdicts([.filePut, .fileRemove, .put]).contains(.unknown)
      #expect(hasUnknown == (index == 1))
      if !hasUnknown { #expect(again.bytes == file) }
    }
  }

  private func add(
    _ change: CSPP.Operation.Change, _ text: borrowing SecretBytes,
    _ builder: inout SealedOperationBuilder
  ) throws {
    switch change {
    case .put(let record, let payload):
      var entry = SecretBytes(zeroed: 0)
      try CSPP.Operation.decode(payload, in: text, into: &entry)
      builder.put(record, entry: entry)
    case .file(.put(let put)):
      try builder.filePut(
        put.fileID, name: put.name, version: NewFileVersion(copying: put.version, in: text),
        replaces: put.replaces)
    case .file(.remove(let file, let replaces)): builder.fileRemove(file, replaces: replaces)
    default: break
    }
  }

  @Test
  func `Python reads an operation and an object that we write`() throws {
    let masterKey = MasterKey.random()
    let signer = SigningPair.random()
    let writer = WriterID.random()
    let contents = [UInt8].seeded(150_000)
    let identity = SilentWriter.Identity(writerID: writer, signingKey: signer.publicKey)
    var sealer = signer.withSeed { seed in
      ObjectSealer(hedge: SecretBytes(copying: seed), expecting: digest(contents))
    }
    var (output, object): ([UInt8], [UInt8]) = ([], [])
    try unsafe sealer.seal(contents.span.bytes, into: &output)
    object += output
    while sealer.finish(into: &output) { object += output }
    let result = try sealer.result()
    let (name, size, content) = (result.name, result.size, result.content)
    let header = try OperationHeader(
      namespaceID: masterKey.namespaceID, writerID: writer, counter: 12, previous: .random())
    var builder = SealedOperationBuilder(header: header, at: 17, after: Silent.after)
    let (large, small) = (FileID.random(), FileID.random())
    try builder.filePut(
      large, name: Silent.name("Datei ☂ \"x\""),
      version: NewFileVersion(object: result, modified: 3, mode: 0o755), replaces: [digest([9])])
    try builder.filePut(
      small, name: Silent.name("b"),
      version: NewFileVersion(inline: secret([5, 6]), modified: 4, mode: 0), replaces: [])
    builder.fileRemove(.random(), replaces: [digest([8])])
    builder.put(Sample.recordID, entry: secret(text: Sample.entry))
    let sealed = try builder.seal(
      inbox: InboxPair(of: masterKey).publicKey, writerSecret: masterKey.writerSecret(identity),
      signer: signer)
    var request: [String: Any] = [
      "file": Data(sealed.bytes).base64EncodedString(), "signing_key": signer.publicKey.hex,
      "writer_id": writer.hex,
    ]
    // Without any secret, the signature is checked.
    let looked = try Python.run("sealed_reader.py", "operation", request)
    #expect(try looked.string("name") == sealed.fileName && looked["changes"] == nil)
    request["master_key"] = masterKey.withBytes { String(decoding: Hex.encode($0), as: UTF8.self) }
    let read = try Python.run("sealed_reader.py", "operation", request)
    #expect(try read.number("at") == 17 && read.seen("after") == Silent.after)
    #expect(try read.object("header").string("previous") == header.previous?.hex)
    let changes = try read.list("changes")
    #expect(
      changes.map { $0["kind"] as? String } == ["file-put", "file-put", "file-remove", "put"])
    #expect(changes.allSatisfy { $0["counts"] as? Bool == true })
    let fields = try changes[0].object("fields")
    #expect(try fields.string("name") == "Datei ☂ \"x\"" && fields.string("file_id") == large.hex)
    let version = try fields.object("version")
    #expect(try version.string("object") == name.hex && version.number("size") == size)
    #expect(try version.string("content") == content.hex && version.number("mode") == 0o755)
    let back = try Python.run(
      "sealed_reader.py", "object",
      ["bytes": Data(object).base64EncodedString(), "version": version])
    #expect(try back.base64("contents") == contents)

    // Authorised under another ID, it is another writer's.
    let other = try Python.run(
      "sealed_reader.py", "operation", request.merging(["writer_id": WriterID.random().hex]) { $1 })
    #expect(other["refused"] != nil)

    // And Python refuses what this module refuses.
    func refused(_ changed: [UInt8]) throws -> Bool {
      let file = Data(changed).base64EncodedString()
      let read = try Python.run(
        "sealed_reader.py", "operation", request.merging(["file": file]) { $1 })
      return read["refused"] != nil
    }
    #expect(try refused(sealed.bytes + [0x0A]))
    for place in stride(from: 3, to: sealed.bytes.count, by: 1301) {
      var changed = sealed.bytes
      changed[place] ^= 2
      #expect(try refused(changed))
    }
    var cut = object
    cut.removeLast()
    let short = try Python.run(
      "sealed_reader.py", "object", ["bytes": Data(cut).base64EncodedString(), "version": version])
    #expect(short["refused"] != nil)
  }

  @Test
  func `We read an operation and an object that Python writes`() throws {
    let masterKey = MasterKey.random()
    let signer = SigningPair.random()
    let writer = WriterID.random()
    let contents = [UInt8].seeded(70_001)
    let object = try Python.run(
      "sealed_writer.py", "object",
      [
        "contents": Data(contents).base64EncodedString(),
        "seed": signer.withSeed { String(decoding: Hex.encode($0), as: UTF8.self) },
      ])
    let bytes = try object.base64("bytes")
    var version = object
    version["bytes"] = nil
    version["modified"] = 1
    version["mode"] = 0o600
    let identity = SilentWriter.Identity(writerID: writer, signingKey: signer.publicKey)
    let file = FileID.random()
    let put: [String: Any] = [
      "file_id": file.hex, "name": "n", "version": version, "replaces": [digest([1]).hex],
    ]
    let written = try Python.run(
      "sealed_writer.py", "operation",
      [
        "header": [
          "namespace_id": masterKey.namespaceID.hex, "writer_id": writer.hex, "counter": 1,
        ], "at": 5, "after": Silent.after.values, "changes": [["file-put": put]],
        "inbox": InboxPair(of: masterKey).publicKey.hex,
        "writer_secret": Hex.string(masterKey.writerSecret(identity).revealed),
        "seed": signer.withSeed { String(decoding: Hex.encode($0), as: UTF8.self) },
      ])
    let data = try written.base64("file")
    let parsed = try SealedOperationFile(parsing: data.span, at: masterKey.namespaceID)
    var text = SecretBytes(zeroed: 0)
    let opened = try parsed.open(
      by: identity, inbox: InboxPair(of: masterKey),
      writerSecret: masterKey.writerSecret(identity), into: &text)
    guard case .file(.put(let found)) = opened.changes.first,
      case .object(let name, let key) = found.version.place
    else {
      Issue.record("no version")
      return
    }
    #expect(found.fileID == file && name == digest(bytes))
    var opener = try found.version.opener(name, key: key, in: text)
    #expect(opener.objectSize == UInt64(bytes.count))
    var (place, back) = (0, [UInt8]())
    var piece = SecretBytes(zeroed: 0)
    while opener.nextCount > 0 {
      let end = place + opener.nextCount
      let next = Array(bytes[place..<end])
      try unsafe opener.open(next.span.bytes, into: &piece)
      back += piece.revealed
      place = end
    }
    try opener.finish()
    #expect(back == contents && place == bytes.count)
  }

  @Test
  func `Python and this module take and refuse the same changes`() throws {
    let vectors = try Vectors.sealed("changes")
    let good = try #require(vectors["good"] as? [String])
    let bad = try #require(vectors["bad"] as? [String])
    #expect(good.count > 10 && bad.count > 80)
    let read = try Python.run("sealed_reader.py", "changes", ["changes": good + bad])
    #expect(
      read["hold"] as? [Bool]
        == good.map { _ in true } + bad.map { _ in false })
    for (text, holds) in good.map({ ($0, true) }) + bad.map({ ($0, false) }) {
      #expect(taken(text) == holds, "\(text)")
    }
  }

  /// Whether a change holds: in a sealed operation, or for a kind that never stands there, in an
  /// ordinary one.
  private func taken(_ change: String) -> Bool {
    let inSealed = ["put", "file-put", "file-remove"].contains { change.hasPrefix("{\"\($0)\"") }
    do throws(CSPPError) {
      let changes = try secret(text: "[\(change)]").withBytes { (text) throws(CSPPError) in
        try CSPP.Operation.Change.list(
          JSON.parse(text), inSealed ? .sealed : .ordinary, in: text)
      }
      if case .unknown = changes.first { return false }
      return changes.count == 1
    } catch {
      return false
    }
  }

  @Test
  func `Authorising lines, in both directions`() throws {
    let answerSecret = Randomness.bytes(count: 32)
    let request = try WriterRequest(
      writerID: .random(), signer: .random(), answerSecret: secret(answerSecret),
      label: Silent.name("Knoten ☂"))
    let read = try Python.run("sealed_reader.py", "request", ["line": request.line])
    #expect(try read.string("fingerprint") == request.fingerprint)
    #expect(
      try read.string("label") == "Knoten ☂" && read.string("signing_key") == request.signingKey.hex
    )
    var asked = read
    asked["fingerprint"] = nil
    let written = try Python.run("sealed_writer.py", "request", asked)
    #expect(try written.string("line") == request.line)

    let masterKey = MasterKey.random()
    let hex = masterKey.withBytes { String(decoding: Hex.encode($0), as: UTF8.self) }
    let theirs = try Python.run(
      "sealed_writer.py", "answer",
      ["request": asked, "master_key": hex, "may": ["file-put"], "after": Silent.after.values])
    let answer = try WriterAnswer(
      opening: theirs.string("line"), to: request, answerSecret: secret(answerSecret))
    #expect(answer.may == .filePut && answer.after == Silent.after)
    #expect(answer.inbox == InboxPair(of: masterKey).publicKey)
    #expect(answer.writerSecret.revealed == masterKey.writerSecret(request.identity).revealed)
    #expect(
      try WriterAnswer.fingerprint(of: theirs.string("line"), to: request)
        == theirs.string("fingerprint"))

    let ours = try WriterAnswer.line(
      to: request, masterKey: masterKey, may: [.fileRemove, .put], after: Silent.after)
    let back = try Python.run(
      "sealed_reader.py", "answer",
      ["line": ours, "request": asked, "answer_secret": Hex.string(answerSecret)])
    #expect(back["may"] as? [String] == ["file-remove", "put"])
    #expect(try back.string("namespace_id") == masterKey.namespaceID.hex)
    #expect(try back.seen("after") == Silent.after)
    #expect(
      try back.string("fingerprint") == WriterAnswer.fingerprint(of: ours, to: request))
  }

  @Test
  func `The lines of the vectors`() throws {
    let vectors = try Vectors.sealed("lines")
    let keys = try vectors.object("keys")
    let request = try WriterRequest(
      writerID: keys.id("writer_id"), signer: SigningPair(seed: secret(hex: keys.string("seed"))),
      answerSecret: secret(hex: keys.string("answer_secret")),
      label: Silent.name(keys.string("label")))
    #expect(try request.line == vectors.object("request").string("line"))
    #expect(try request.fingerprint == vectors.object("request").string("fingerprint"))
    let answer = try WriterAnswer(
      opening: vectors.object("answer").string("line"), to: request,
      answerSecret: secret(hex: keys.string("answer_secret")))
    #expect(try answer.inbox == keys.id("inbox") && answer.after == keys.seen("after"))
    #expect(answer.may == [.filePut, .put])
    let refused = try #require(vectors["refused"] as? [String])
    #expect(refused.count > 15)
    let read = try Python.each("request", refused.map { ["line": $0] })
    for (line, read) in zip(refused, read) {
      #expect(throws: AuthorisingLineMistake.self, "\(line)") { try WriterRequest(parsing: line) }
      #expect(read["refused"] != nil, "\(line)")
    }
  }

  @Test
  func `Python and this module refuse the same texts of sealed operations`() throws {
    let header = SealedSpelling(header: try Silent.header()).headerDigest.hex
    let after = Silent.after.json
    func text(
      header: String = header, at: String = "1", after: String = after, changes: String = "[]",
      more: String = ""
    ) -> String {
      "{\"header\":\"\(header)\",\"at\":\(at),\"after\":\(after),\"changes\":\(changes)\(more)}"
    }
    func fields(_ count: Int) -> String {
      (0..<count).map { ",\"\($0)\":0" }.joined()
    }
    func nested(_ count: Int) -> String {
      ",\"x\":" + String(repeating: "[", count: count) + String(repeating: "]", count: count)
    }
    let good = [text(), text(more: ",\"x\":-0"), text(more: fields(60)), text(more: nested(63))]
    let escaped = "\\u00" + Hex.string([try #require(header.utf8.first)]) + header.dropFirst()
    let bad = [
      "\u{FEFF}" + text(), text(at: "-0"), text(at: "9223372036854775808"),
      text(header: escaped), text(header: header.uppercased()),
      text(after: after.replacing("\"counter\":3", with: "\"counter\":0")), text(changes: "{}"),
      text(changes: "null"), text(more: ",\"at\":1"), text(more: ",\"x\":NaN"),
      text(more: ",\"x\":\"\\ud800\""), text(more: fields(61)), text(more: nested(64)), "[]", "",
    ]
    let wide = text().utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let texts = (good + bad).map { Array($0.utf8) } + [wide]
    let files = try texts.map { try Silent.file(text: $0) }
    let identity = try Silent.identity()
    let masterKey = try Sample.masterKey()
    let hex = masterKey.withBytes { String(decoding: Hex.encode($0), as: UTF8.self) }
    let read = try Python.each(
      "operation",
      files.map {
        [
          "file": Data($0).base64EncodedString(), "writer_id": identity.writerID.hex,
          "signing_key": identity.signingKey.hex, "master_key": hex,
        ]
      })
    for (place, file) in files.enumerated() {
      let refused = place >= good.count
      let text = String(decoding: texts[place], as: UTF8.self)
      #expect((Silent.refusal(file) != nil) == refused, "\(text)")
      #expect((read[place]["refused"] != nil) == refused, "\(text)")
    }
  }
}
