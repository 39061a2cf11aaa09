import SecretMemory
import TestSupport
import Testing

@testable import CSPP

/// Changed files are refused, or give exactly the bytes that were sealed.
@Suite("Random changes")
struct FuzzTests {
  private func mutate(_ file: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var file = file
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      guard !file.isEmpty else { return file }
      let place = Int.random(in: 0..<file.count, using: &generator)
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: file[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 1: file.removeLast(file.count - place)
      case 2: file.insert(UInt8.random(in: 0...255, using: &generator), at: place)
      case 3: file.remove(at: place)
      case 4:
        let signs = Array("{}[]\",:\\0e-. u".utf8)
        file[place] = signs.randomElement(using: &generator) ?? 0
      default:
        let end = min(file.count, place + Int.random(in: 0..<40, using: &generator))
        file.insert(
          contentsOf: file[place..<end], at: Int.random(in: 0...file.count, using: &generator))
      }
    }
    return file
  }

  @Test(arguments: UInt64(0)..<20)
  func `Wallet envelopes`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let original = try Sample.wallet()
    let masterKey = try Sample.masterKey()
    var cipher = WalletCipher(masterKey)
    var plaintext = SecretBytes(zeroed: 0)
    var opened = 0
    for _ in 0..<500 {
      let file = mutate(original, &generator)
      do throws(CSPPError) {
        let envelope = try WalletEnvelope(
          parsing: file.span, at: masterKey.namespaceID, recordID: Sample.recordID)
        _ = try envelope.open(with: &cipher, recordID: Sample.recordID, into: &plaintext)
        #expect(plaintext.text == Sample.entry, "seed \(seed)")
        opened += 1
      } catch {}
    }
    // Changes of plain fields on which nothing depends do open.
    #expect(opened < 250)
  }

  @Test(arguments: UInt64(100)..<120)
  func `Master-key envelopes and ways in`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let masterKey = try Sample.masterKey()
    let output = secret(Sample.prfOutput)
    let envelope = try Sample.master()
    let wrapper = try KeyWrapper.seal(
      masterKey, secret: output,
      header: KeyHeader(
        namespaceID: masterKey.namespaceID, keyID: .random(),
        kind: .securityKey(
          .init(
            rpID: "keybackup:", credentialID: [1], discoverable: true,
            aaguid: [UInt8](repeating: 0, count: 16), prfSalt: Sample.prfSalt)), label: "l",
        createdAt: 1))
    let header = try KeyWrapper(parsing: wrapper.span, at: nil).header
    for _ in 0..<250 {
      let changedEnvelope = mutate(envelope, &generator)
      do throws(CSPPError) {
        let read = try MasterKeyEnvelope(parsing: changedEnvelope.span, at: masterKey.namespaceID)
        let key = try read.open(prfOutput: output, namespaceID: masterKey.namespaceID)
        #expect(key.withBytes { $0.byte(0) } == 7, "seed \(seed)")
      } catch {}
      let changedWrapper = mutate(wrapper, &generator)
      do throws(CSPPError) {
        let read = try KeyWrapper(parsing: changedWrapper.span, at: masterKey.namespaceID)
        let key = try read.open(secret: output)
        #expect(read.header == header && key.namespaceID == masterKey.namespaceID, "seed \(seed)")
      } catch {}
    }
  }

  @Test(arguments: UInt64(200)..<220)
  func `Operations, sealed and opened`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let masterKey = try Sample.masterKey()
    var builder = OperationBuilder(at: 1, writerLabel: "w", seen: [])
    builder.put(Sample.recordID, entry: secret(text: Sample.entry))
    builder.moved(
      to: .random(), boxes: [.init(keyID: .random(), box: [1])],
      last: .init(writerID: .random(), counter: 1, digest: .random()))
    let sealed = try builder.seal(
      header: OperationHeader(
        namespaceID: masterKey.namespaceID, writerID: .random(), counter: 1, previous: nil),
      masterKey: masterKey)
    var text = SecretBytes(zeroed: 0)
    let sealedBytes = sealed.bytes
    let original = try OperationFile(parsing: sealedBytes.span, at: nil)
      .open(sealedBytes, masterKey: masterKey, into: &text)
    let plaintext = text.revealed
    for _ in 0..<250 {
      let file = mutate(sealedBytes, &generator)
      do throws(CSPPError) {
        let read = try OperationFile(parsing: file.span, at: masterKey.namespaceID)
        #expect(try read.open(file, masterKey: masterKey, into: &text) == original, "seed \(seed)")
      } catch {}
      // An attacker cannot reach this, but a bug elsewhere can: no crash here either.
      do throws(CSPPError) {
        let changed = secret(mutate(plaintext, &generator))
        let operation = try Operation(parsing: changed)
        var entry = SecretBytes(zeroed: 0)
        for case .put(_, let payload) in operation.changes {
          try Operation.decode(payload, in: changed, into: &entry)
        }
      } catch {}
    }
  }

  @Test(arguments: UInt64(400)..<420)
  func `Sealed operations, and any text under a valid seal`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let original = try Silent.operation(generator.bytes(100))
    var text = SecretBytes(zeroed: 0)
    let contents = try Silent.open(original, into: &text)
    let plaintext = text.revealed
    for _ in 0..<250 {
      let file = mutate(original, &generator)
      if file != original { #expect(Silent.refusal(file) != nil, "seed \(seed)") }
    }
    for _ in 0..<50 {
      // Only a silent writer's own key reaches this; a writer may still be hostile.
      let changed = mutate(plaintext, &generator)
      do throws(CSPPError) {
        let file: [UInt8]
        do { file = try Silent.file(text: changed) } catch { throw .empty }
        let opened = try Silent.open(file, into: &text)
        #expect(opened.verdicts([.filePut]).count == opened.changes.count, "seed \(seed)")
        for case .file(.put(let put)) in opened.changes {
          if case .inline(let inline) = put.version.place {
            var found = SecretBytes(zeroed: 0)
            try put.version.contents(inline, in: text, into: &found)
          }
        }
        #expect(opened.changes.count <= contents.changes.count, "seed \(seed)")
      } catch {}
    }
  }

  @Test(arguments: UInt64(300)..<320)
  func `Entries`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let full =
      #"{"wallet_id":"w\u00e9","secret":{"TapSignerBackup":[1,2,255]},"metadata":{"name":"\ud83d\ude00","network":"Bitcoin"},"descriptors":{"external":"a","internal":"b\n"},"xpub":"x","wallet_mode":"Main","labels_zstd_jsonl":"QUJD","labels_count":1,"labels_hash":null,"labels_uncompressed_size":3,"content_revision_hash":"","updated_at":4,"keybackup":{"writer_id":"00112233445566778899aabbccddeeff","counter":5}}"#
    for _ in 0..<500 {
      let changed = secret(mutate(Array(full.utf8), &generator))
      do throws(CSPPError) {
        let entry = try WalletEntry(parsing: changed)
        _ = try entry.secret(in: changed)
        _ = entry.metadata(in: changed)
        _ = entry.xpub(in: changed)
        _ = entry.externalDescriptor(in: changed)
        _ = entry.internalDescriptor(in: changed)
        _ = entry.compressedLabels(in: changed)
        _ = entry.contentRevisionHash(in: changed)
        let mark = WalletEntry.Mark(writerID: .random(), counter: 1)
        let marked = try WalletEntry.marking(changed, with: mark)
        #expect(try WalletEntry(parsing: marked).mark == mark, "seed \(seed)")
      } catch {}
    }
  }
}
