import Foundation
import SecretMemory
import Testing

@testable import CSPP

/// Two programs that share no code each read what the other wrote.
///
/// The program in Tests/reader is in Python and was written from docs/format.md.
@Suite("Independent reader and writer")
struct PythonInteropTests {
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = URL.temporaryDirectory.appending(path: "cspp-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  private func write(_ bytes: [UInt8], _ path: String, in folder: URL) throws {
    let file = folder.appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file, options: .withoutOverwriting)
  }

  @Test
  func `Python opens all that we write`() throws {
    try withFolder { folder in
      let masterKey = MasterKey.random()
      let id = masterKey.namespaceID
      let keyID = KeyID.random()
      let output = SecretBytes.random(count: 32)
      let salt = Randomness.bytes(count: 32)
      let credential = Randomness.bytes(count: 61)
      let wrapper = try KeyWrapper.seal(
        masterKey, secret: output,
        header: KeyHeader(
          namespaceID: id, keyID: keyID,
          kind: .securityKey(
            .init(
              rpID: "keybackup:", credentialID: credential, discoverable: false,
              aaguid: Randomness.bytes(count: 16), prfSalt: salt)), label: "Schlüssel", createdAt: 5
        )
      )
      let envelope = try MasterKeyEnvelope.seal(
        masterKey, prfOutput: output, prfSalt: salt,
        keyReference: .init(keyID: keyID, rpID: "keybackup:", credentialID: credential),
        createdAt: 5, updatedAt: 6)
      try write(wrapper, FolderLayout.key(keyID, in: id), in: folder)
      try write(envelope, FolderLayout.masterKey(id), in: folder)

      let writer = WriterID.random()
      var builder = OperationBuilder(at: 7, writerLabel: "c", seen: [])
      builder.keyAdd(keyID, file: wrapper.span)
      builder.envelope(file: envelope.span)
      var cipher = WalletCipher(masterKey)
      var entries: [String: [UInt8]] = [:]
      for kind in WalletEntry.SecretKind.allCases {
        let content = kind == .tapSignerBackup ? Randomness.bytes(count: 90) : Array("ä\n\"".utf8)
        let entryBytes = try NewWalletEntry(
          walletID: "id-\(kind)", kind: kind, secret: secret(content),
          metadata: .init(name: "n\u{1}", network: "Bitcoin")
        ).encode(updatedAt: 8, mark: .init(writerID: writer, counter: 1))
        let entry = try WalletEntry(parsing: entryBytes)
        let file = try WalletEnvelope.seal(
          entryBytes, entry: entry, with: &cipher, createdAt: 1, updatedAt: 2)
        try write(file, FolderLayout.wallet(entry.recordID, in: id), in: folder)
        builder.put(entry.recordID, entry: entryBytes)
        entries[entry.recordID.hex] = entryBytes.revealed
      }
      let first = try builder.seal(
        header: OperationHeader(namespaceID: id, writerID: writer, counter: 1, previous: nil),
        masterKey: masterKey)
      var second = OperationBuilder(at: 9, writerLabel: "c", seen: [first.seen])
      let gone = RecordID(walletID: "id-xprv")
      second.remove(gone)
      let last = try second.seal(
        header: OperationHeader(
          namespaceID: id, writerID: writer, counter: 2, previous: first.digest),
        masterKey: masterKey)
      let log = FolderLayout.log(of: writer, in: id)
      try write(first.bytes, "\(log)/\(first.fileName)", in: folder)
      try write(last.bytes, "\(log)/\(last.fileName)", in: folder)

      let read = try Python.run(
        "cspp_reader.py", [folder.path, "--prf-output", Hex.string(output.revealed)])
      #expect(try read.list("unreadable").isEmpty)
      #expect(read["opened_by"] as? [String] == ["envelope", keyID.hex])
      var found: [String: [UInt8]] = [:]
      for wallet in try read.list("wallets") {
        found[try wallet.string("record_id")] = try wallet.base64("entry_base64")
      }
      #expect(found == entries && entries.count == 5)
      #expect(try read.list("operations").count == 2)
      let live = try #require(read["live"] as? [String: [String]])
      entries[gone.hex] = nil
      #expect(live == entries.mapValues { [Data($0).base64EncodedString()] })
      let label = try read.list("keys").first?["label"] as? String
      #expect(label == "Schlüssel")
    }
  }

  @Test(arguments: ["current", "older"], [false, true])
  func `We open all that Python writes`(layout: String, ownFiles: Bool) throws {
    try withFolder { folder in
      let output = Hex.string(Randomness.bytes(count: 32))
      let written = try Python.run(
        "cspp_writer.py",
        [
          folder.path, "--prf-output", output, "--prf-salt",
          Hex.string(Randomness.bytes(count: 32)), "--layout", layout, "--entries",
          Vectors.root.appending(path: "namespace-example-entries.json").path,
        ] + (ownFiles ? ["--keybackup"] : []))
      let id = try #require(NamespaceID(hex: written.string("namespace_id")))
      let older = layout == "older"
      func read(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appending(path: path)))
      }
      let file = try read(older ? FolderLayout.olderMasterKey(id) : FolderLayout.masterKey(id))
      let masterKey = try MasterKeyEnvelope(parsing: file.span, at: id)
        .open(prfOutput: secret(hex: output), namespaceID: id)
      var cipher = WalletCipher(masterKey)
      var plaintext = SecretBytes(zeroed: 0)
      let wallets = try written.list("wallets")
      #expect(wallets.count == 3)
      for wallet in wallets {
        let record = RecordID(walletID: try wallet.string("wallet_id"))
        let file = try read(
          older ? FolderLayout.olderWallet(record, in: id) : FolderLayout.wallet(record, in: id))
        let envelope = try WalletEnvelope(parsing: file.span, at: id, recordID: record)
        _ = try envelope.open(with: &cipher, recordID: record, into: &plaintext)
        #expect(try plaintext.revealed == wallet.base64("entry_base64"))
      }
      guard ownFiles else { return }
      let keyID = try #require(KeyID(hex: written.string("key_id")))
      let writer = try #require(WriterID(hex: written.string("writer_id")))
      let wrapper = try read(FolderLayout.key(keyID, in: id))
      let unwrapped = try KeyWrapper(parsing: wrapper.span, at: id)
        .open(secret: secret(hex: output))
      #expect(unwrapped.namespaceID == id)
      let name = try written.string("operation")
      let operationBytes = try read("\(FolderLayout.log(of: writer, in: id))/\(name)")
      let operation = try OperationFile(parsing: operationBytes.span, at: id)
      #expect(operation.fileName == name)
      let opened = try operation.open(operationBytes, masterKey: masterKey, into: &plaintext)
      #expect(opened.changes.count == 5)
    }
  }
}
