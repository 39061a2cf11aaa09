import CSPP
import LogState
import SecretMemory
import Testing

@testable import Repository

/// What is written is read as the same changes.
@Suite struct RoundTripTests {
  private let writer = WriterID.random()
  private let file = FileID.random()

  private func entry(_ id: String) throws -> SecretBytes {
    let text =
      #"{"wallet_id":"\#(id)","secret":"WatchOnly","metadata":{},"wallet_mode":"Main"}"#
    return try EntryMark.random().marking(SecretBytes.of(text))
  }

  private func label() throws -> PathComponent { try #require(PathComponent("channels.db")) }

  @Test func `Every change of an ordinary operation`() throws {
    let master = MasterKey.random()
    let header = try OperationHeader(
      namespaceID: master.namespaceID, writerID: writer, counter: 1, previous: nil)
    let pair = SigningPair.random()
    let key = pair.publicKey
    let entry = try entry("one")
    let record = RecordID(walletID: "one")
    let version = try NewVersion(
      inline: SecretBytes.of("contents"), name: label(), modified: 5, mode: 0o100644)
    let copied = VersionName(Digest(of: [1].span))
    let (slot, ended) = (KeyID.random(), VersionName(Digest(of: [2].span)))
    let seen = [
      OperationID(.ordinary(master.namespaceID, writer), 3, Digest(of: [3].span)),
      OperationID(.silent(master.namespaceID, key), 4, Digest(of: [4].span)),
    ]
    var earlier = MasterKeys()
    let old = MasterKey.random()
    let oldID = old.namespaceID
    earlier.insert(old)

    var draft = OperationDraft(at: 7, writerLabel: "desk \"Ω\"", seen: seen)
    entry.withBytes { draft.put(record, $0) }
    version.text.withBytes { draft.put(file, $0, by: key, copying: copied) }
    draft.end([ended])
    draft.drop([copied])
    draft.end([VersionName]())
    try draft.addWriter(key, writer, [.files], Label("node", at: 2))
    draft.retireWriter(key)
    draft.refuse(.key(key))
    draft.refuse(.namespace(oldID))
    draft.begin(takingOver: earlier, after: [seen[0]])
    draft.takenOver(by: oldID)
    draft.removeSlot(slot)
    draft.labelSlot(slot, Label("Kit", at: 3))
    draft.envelope([1, 2, 3].span)
    try draft.sensitive(SecretBytes.of("private"), topic: "labels", master)
    #expect(draft.count == 14)
    let estimate = draft.fileSize
    let sealed = try draft.seal(header: header, masterKey: master)

    var bytes = sealed.file.copy()
    let plain = sealed.file.plain
    #expect(plain.count <= estimate && plain.count + 768 > estimate)
    let read = try OperationFile(parsing: plain.span, at: master.namespaceID)
    let text = try read.openText(inPlace: &bytes, masterKey: master)
    let wallet = try entry.version()
    let digest = version.text.withBytes { Digest(of: $0) }
    let contents = try version.text.withBytes { (text) throws(CSPPError) in
      try VersionText(parsing: text).contents
    }
    let stored = ItemVersion(
      file: file, bytes: digest, contents: contents, by: key, copied: copied)
    let expected: [Change] = [
      .add(wallet), .add(stored), .end(ended), .drop(copied),
      .addWriter(key, id: writer, rights: .files, label: Label("node", at: 2)),
      .retireWriter(key), .refuse(.key(key)), .refuse(.namespace(oldID)),
      .begin(takesOver: [oldID], operations: [seen[0]]), .takenOver(by: oldID),
      .removeSlot(slot), .labelSlot(slot, Label("Kit", at: 3)),
      .envelope(Digest(of: [1, 2, 3].span)),
      .text(SensitiveText.digest("labels", SecretBytes.of("private"))),
    ]
    #expect(text.operation.changes == expected)
    #expect(text.operation.seen == seen && text.operation.at == 7)
    #expect(text.writerLabel == "desk \"Ω\"" && text.unknown.isEmpty)
    #expect(Set(text.versions.keys) == [wallet.name, stored.name])
    #expect(text.masterKeys.keys.map(\.self) == [oldID])
  }

  @Test func `A sealed operation ends versions by their bytes`() throws {
    let master = MasterKey.random()
    let pair = SigningPair.random()
    let key = pair.publicKey
    let header = try OperationHeader(
      namespaceID: master.namespaceID, writerID: writer, counter: 1, previous: nil)
    let version = try NewVersion(
      inline: SecretBytes.of("contents"), name: label(), modified: 5, mode: 0o600)
    var draft = SealedDraft(header: header, at: 9)
    version.text.withBytes { draft.put(file, $0) }
    let ended = Digest(of: [2].span)
    draft.end(file, [ended])
    let identity = SilentWriter.Identity(writerID: writer, signingKey: key)
    let inbox = InboxPair(of: master)
    let secret = master.writerSecret(identity)
    let sealed = try draft.seal(inbox: inbox.publicKey, writerSecret: secret, signer: pair)

    let plain = sealed.file.plain
    let read = try SealedOperationFile(parsing: plain.span, at: master.namespaceID)
    var bytes = SecretBytes(zeroed: 0)
    try read.openText(by: identity, inbox: inbox, writerSecret: secret, into: &bytes)
    let text = try bytes.withBytes { (bytes) throws(CSPPError) in
      try SealedText(parsing: bytes, of: read, signedBy: key)
    }
    let name = VersionName(of: .file(file), by: key, copied: nil, bytes: ended)
    #expect(text.operation.ended == [name] && text.at == 9 && text.ignored.isEmpty)
    #expect(text.operation.added.map(\.author) == [key])
  }
}
