import CSPP
import Foundation
import LogState
import SecretMemory
import Testing

@testable import Repository

/// Operations that Tests/reader/operations.py wrote from the text of the format.
@Suite struct KnownAnswerTests {
  private let known: Known

  init() throws { known = try Known.read() }

  @Test func `An operation of another program reads as the rules say`() throws {
    let text = try opened()
    let operation = text.operation
    let signer = try known.signingKey()
    let record = try #require(RecordID(hex: known.record))
    let item = try #require(FileID(hex: known.fileID))
    let bytes = try known.base64(known.inline)
    let contents = try known.digest(known.contents["inline"])
    let inline = ItemVersion(
      file: item, bytes: Digest(of: bytes.span), contents: contents, by: signer, copied: nil)
    #expect(inline.name.digest.hex == known.names["inline"])
    let added = operation.changes.compactMap { change in
      if case .add(let version) = change { version } else { nil }
    }
    #expect(
      added.map(\.name.digest.hex)
        == ["wallet", "silent wallet", "inline", "large"].map { known.names[$0] })
    #expect(
      added.map(\.contents.hex)
        == ["wallet", "wallet", "inline", "large"].map { known.contents[$0] })
    #expect(added.map(\.author) == [nil, signer, signer, signer])
    #expect(added.map(\.copied) == [nil, nil, nil, inline.name])
    #expect(added[0].item == .wallet(record))
    #expect(text.unknown == ["dance"])
    #expect(text.writerLabel == "desk")
    #expect(operation.seen.count == 2)
    let earlier = try #require(NamespaceID(hex: known.earlier))
    #expect(operation.seen.last?.chain == .silent(earlier, signer))
    // The stranger's ID does not derive from the key that is given for it.
    #expect(
      operation.changes.compactMap(Self.words) == [
        "writer \(signer) \(known.writerID) 3 node 1600000000",
        "begin [\(known.earlier)] \(operation.seen[0].digest)", "box \(known.slot)",
        "label Kit Ω 1500000000", "text \(known.textName)",
      ])
    #expect(operation.changes.count == 18)
  }

  /// A change in words; nil for one whose fields are compared elsewhere.
  private static func words(_ change: Change) -> String? {
    switch change {
    case .addWriter(let key, let id, let rights, let label):
      "writer \(key) \(id) \(rights.rawValue) \(label.text) \(label.at)"
    case .begin(let taken, let operations):
      "begin \(taken.map(\.hex)) \(operations.map(\.digest.hex).joined())".replacing("\"", with: "")
    case .addFile(let file, let slot): "\(file.kind) \(slot)"
    case .labelSlot(_, let label): "label \(label.text) \(label.at)"
    case .text(let digest): "text \(digest)"
    default: nil
    }
  }

  private func opened() throws -> OperationText {
    let master = try known.key(known.masterKey)
    let sealed = try known.base64(known.file)
    let file = try OperationFile(parsing: sealed.span, at: master.namespaceID)
    var bytes = try known.guarded(known.file)
    let text = try file.openText(inPlace: &bytes, masterKey: master)
    let expected = try known.base64(known.text)
    let plain = bytes.plain
    #expect(plain == expected)
    return text
  }

  @Test func `A mark is written and read as in Python`() throws {
    let entry = try known.guarded(known.entry)
    let nonce = try known.bytes(known.nonce)
    let marked = try EntryMark(nonce: nonce, author: nil).marking(entry)
    let expected = try known.base64(known.marked)
    let plain = marked.plain
    #expect(plain == expected)
    let version = try marked.version()
    #expect(version.name.digest.hex == known.names["wallet"])
    // Another mark takes the place of the first one.
    let signer = try known.signingKey()
    let again = try EntryMark.random(by: signer).marking(marked)
    let copy = try again.version()
    #expect(copy.contents == version.contents && copy.author == signer)
    #expect(copy.name != version.name)
  }

  @Test func `A mark that does not fit its entry counts as none`() throws {
    let signer = try known.signingKey()
    let entry = try known.guarded(known.entry)
    let marked = try EntryMark.random(by: signer).marking(entry)
    var text = String(decoding: marked.plain, as: UTF8.self)
    text.replace("\"One\"", with: "\"Two\"")
    let changed = SecretBytes.of(text)
    let edited = try changed.version()
    #expect(edited.author == nil)
    // Wherever the mark stands, the entry without it is the same.
    let rest = try known.entryText().dropFirst()
    for place in ["{\"keybackup\":{},", "{\"a\":1 , \"keybackup\" : [] ,"] {
      let moved = SecretBytes.of(place + rest)
      let bare = (place.contains("\"a\"") ? "{\"a\":1 ," : "{") + rest
      let version = try moved.version()
      #expect(version.contents == Digest(of: Array(bare.utf8).span))
    }
  }

  @Test func `A sealed operation of another program reads as the rules say`() throws {
    let master = try known.key(known.masterKey)
    let signer = try known.signer()
    let sealed = try known.base64(known.sealed)
    let file = try SealedOperationFile(parsing: sealed.span, at: master.namespaceID)
    let identity = SilentWriter.Identity(
      writerID: file.header.writerID, signingKey: signer.publicKey)
    let inbox = InboxPair(of: master)
    let secret = master.writerSecret(identity)
    var bytes = SecretBytes(zeroed: 0)
    try file.openText(
      by: identity, inbox: inbox, writerSecret: secret, into: &bytes)
    let text = try bytes.withBytes { (bytes) throws(CSPPError) in
      try SealedText(parsing: bytes, of: file, signedBy: signer.publicKey)
    }
    #expect(
      text.operation.added.map(\.name.digest.hex)
        == [known.names["inline"], known.names["silent wallet"]])
    #expect(text.operation.ended.map(\.digest.hex) == [known.sealedEnd])
    #expect(text.ignored == ["writer-retire"])
    #expect(text.at == 1_700_000_003)
  }

  @Test func `A box gives both keys, and only to its slot`() throws {
    let bytes = try known.base64(known.box)
    let box = try BoxFile(parsing: bytes.span)
    let ids = try namespaces(in: box)
    #expect(ids == [known.earlier, try known.namespaceID()])
    let opensToOthers = Self.opens(box, .random(count: 32))
    #expect(!opensToOthers)
    // One that was made without the earlier key proves nothing.
    let forged = try forged(box.ownBytes)
    var text = String(decoding: forged, as: UTF8.self)
    let proof = try #require(text.range(of: #""hmac":""#)).upperBound
    text.replaceSubrange(proof..<text.index(after: proof), with: text[proof] == "0" ? "1" : "0")
    let wrong = Array(text.utf8)
    let other = try BoxFile(parsing: wrong.span)
    let opensForged = Self.opens(other, try known.secret(known.slotSecret))
    #expect(!opensForged)
  }

  private func forged(_ own: [UInt8]) throws -> [UInt8] {
    let earlier = try known.key(known.earlierMasterKey)
    return try BoxFile.seal(MasterKey.random(), for: own, of: earlier)
  }

  private func namespaces(in box: BoxFile) throws -> [String] {
    let secret = try known.secret(known.slotSecret)
    let opened = try box.open(secret)
    return [opened.earlier.namespaceID.hex, opened.masterKey.namespaceID.hex]
  }

  private static func opens(_ box: BoxFile, _ secret: consuming SecretBytes) -> Bool {
    do throws(CSPPError) {
      _ = try box.open(secret)
      return true
    } catch {
      return error != .authenticationFailed
    }
  }
}

/// Tests/Vectors/operations/operations.json.
private struct Known: Decodable {
  let masterKey, earlierMasterKey, signerSeed, writerID, file, text, slot, slotSecret, box: String
  let names, contents: [String: String]
  let entry, marked, nonce, textName, earlier, record, fileID, inline, sealed, sealedEnd: String

  enum CodingKeys: String, CodingKey {
    case masterKey = "master_key"
    case earlierMasterKey = "earlier_master_key"
    case signerSeed = "signer_seed"
    case writerID = "writer_id"
    case file, text, slot, box, names, contents, entry, marked, nonce, earlier, record
    case inline, sealed
    case slotSecret = "slot_secret"
    case textName = "text_name"
    case fileID = "file_id"
    case sealedEnd = "sealed_end"
  }

  static func read() throws -> Known {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let file = folder.appending(path: "Vectors/operations/operations.json")
    return try JSONDecoder().decode(Known.self, from: Data(contentsOf: file))
  }

  func base64(_ text: String) throws -> [UInt8] { Array(try #require(Data(base64Encoded: text))) }

  func guarded(_ text: String) throws -> SecretBytes {
    let bytes = try base64(text)
    return unsafe SecretBytes(copying: bytes.span.bytes)
  }

  func secret(_ hex: String) throws -> SecretBytes {
    let bytes = try bytes(hex)
    return unsafe SecretBytes(copying: bytes.span.bytes)
  }

  func bytes(_ hex: String) throws -> [UInt8] {
    try #require(Hex.decode(unsafe Array(hex.utf8).span.bytes))
  }

  func key(_ hex: String) throws -> MasterKey {
    let bytes = try secret(hex)
    return try MasterKey(bytes)
  }

  func namespaceID() throws -> String {
    let master = try key(masterKey)
    return master.namespaceID.hex
  }

  func signingKey() throws -> SigningKey {
    let pair = try signer()
    return pair.publicKey
  }

  func signer() throws -> SigningPair {
    let seed = try secret(signerSeed)
    return try SigningPair(seed: seed)
  }

  func digest(_ hex: String?) throws -> Digest { try #require(Digest(hex: hex ?? "")) }
  func entryText() throws -> String { String(decoding: try base64(entry), as: UTF8.self) }
}

extension SecretBytes {
  var plain: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }

  func version() throws -> ItemVersion {
    try withBytes { (text) throws(CSPPError) in try ItemVersion(of: text) }
  }

  static func of(_ text: String) -> SecretBytes {
    unsafe SecretBytes(copying: Array(text.utf8).span.bytes)
  }
}
