import CSPP
import LogState
import SecretMemory
import Testing

@testable import Repository

/// A folder as its files say, without a disk.
@Suite struct FolderContentsTests {
  private let writer = WriterID.random()
  private let slot = KeyID.random()

  private func keyFile(
    _ master: borrowing MasterKey, _ secret: borrowing SecretBytes
  ) throws -> [UInt8] {
    let derivation = try KeyHeader.CodeDerivation(cost: KeyHeader.CodeDerivation.standardCost)
    let header = KeyHeader(
      namespaceID: master.namespaceID, keyID: slot, kind: .recoveryCode(derivation), label: "kit",
      createdAt: 1)
    return try KeyWrapper.seal(master, secret: secret, header: header)
  }

  private func operation(
    _ master: borrowing MasterKey, _ counter: UInt64,
    _ body: (inout OperationDraft) throws -> Void
  ) throws -> SecretBytes {
    let header = try OperationHeader(
      namespaceID: master.namespaceID, writerID: writer, counter: counter,
      previous: counter == 1 ? nil : Digest(of: [1].span))
    var draft = OperationDraft(at: counter, writerLabel: "desk", seen: [])
    try body(&draft)
    let sealed = try draft.seal(header: header, masterKey: master)
    return sealed.file.copy()
  }

  @Test func `A box gives two keys, and no file opens before its key is known`() throws {
    let earlier = MasterKey.random()
    let master = MasterKey.random()
    let new = master.namespaceID
    let secret = SecretBytes.random(count: 32)
    let own = try keyFile(earlier, secret)
    let box = try BoxFile.seal(master, for: own, of: earlier)
    var contents = FolderContents()
    try contents.open(keyFile: box.span, in: new, secret: secret)
    // A box gives both keys, and is no file of its own.
    let (opened, own2) = (contents.keys.namespaces, contents.own)
    #expect(opened.count == 2 && own2.isEmpty)

    var alone = FolderContents()
    var keys = MasterKeys()
    keys.insert(earlier.copy())
    var begin = try operation(master, 1) { $0.begin(takingOver: keys, after: [OperationID]()) }
    let file = FolderFile(.operation, in: new, "log/1")
    let early = alone.wanted(file)
    #expect(!early)
    alone.read(file, &begin)
    let unread = alone.unread
    #expect(unread[file] == .otherNamespace)

    // With the new key, the beginning gives that of the earlier namespace.
    var found = FolderContents()
    let newSlot = try keyFile(master, secret)
    try found.open(keyFile: newSlot.span, in: new, secret: secret)
    var again = try operation(master, 1) { $0.begin(takingOver: keys, after: [OperationID]()) }
    found.read(file, &again)
    let namespaces = found.keys.namespaces
    let entries = found.entries
    #expect(namespaces.count == 2 && entries.isWhole(new))
    let other = SecretBytes.random(count: 32)
    let opens = (try? found.open(keyFile: newSlot.span, in: new, secret: other)) != nil
    #expect(!opens)
  }

  @Test func `Sealed operations wait for their writer, in whatever order files come`() throws {
    let master = MasterKey.random()
    let id = master.namespaceID
    let secret = SecretBytes.random(count: 32)
    let pair = SigningPair.random()
    let key = pair.publicKey
    let file = FileID.random()
    let name = try #require(PathComponent("a.db"))
    let version = try NewVersion(
      inline: SecretBytes.of("x"), name: name, modified: 1, mode: 0o600)
    let identity = SilentWriter.Identity(writerID: writer, signingKey: key)
    let inbox = InboxPair(of: master)
    let writerSecret = master.writerSecret(identity)
    let header = try OperationHeader(
      namespaceID: id, writerID: writer, counter: 1, previous: nil)
    var draft = SealedDraft(header: header, at: 1)
    version.text.withBytes { draft.put(file, $0) }
    let operation = try draft.seal(
      inbox: inbox.publicKey, writerSecret: writerSecret, signer: pair)

    var contents = FolderContents()
    let own = try keyFile(master, secret)
    try contents.open(keyFile: own.span, in: id, secret: secret)
    let isOwn = contents.own
    #expect(isOwn == [id])
    let sealedFile = FolderFile(.sealed, in: id, "sealed/1")
    var bytes = operation.file.copy()
    contents.read(sealedFile, &bytes)
    contents.openSealed()
    let waiting = contents.waiting
    #expect(waiting == [sealedFile])

    var adds = try self.operation(master, 1) { draft in
      draft.begin(takingOver: MasterKeys(), after: [OperationID]())
      try draft.addWriter(key, writer, .files, Label("node", at: 1))
    }
    contents.read(FolderFile(.operation, in: id, "log/1"), &adds)
    contents.openSealed()
    let rest = contents.waiting
    #expect(rest.isEmpty)
    let entries = contents.entries
    let state = LogState(of: entries, current: id)
    let live = state.versions(\.live)
    #expect(live.map(\.author) == [key])
    let places = contents.places
    #expect(live.first.flatMap { places[$0.name] } == [sealedFile])

    // A damaged file is told, and changes nothing.
    let damaged = FolderFile(.operation, in: id, "log/2")
    var wrong = SecretBytes.of("{}")
    contents.read(damaged, &wrong)
    let unread = contents.unread
    #expect(unread[damaged] != nil)
  }
}
