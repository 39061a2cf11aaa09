import SecretMemory
import WalletFormats

// A release build without fuzzing cannot see internal declarations.
#if DEBUG || FUZZING
@testable import BackupFolder
#endif

enum LabelsTarget {
  static func run(_ bytes: [UInt8]) -> Bool {
    let text = secret(bytes)
    var accepted = false
    if let lines = try? WalletLabels.decompress(text) {
      accepted = true
      must(lines.count <= WalletLabels.sizeLimit, "more than the limit")
      _ = try? WalletLabels.check(lines)
    }
    accepted = (try? WalletLabels.check(text)) != nil || accepted
    // Compression takes a hundred times as long as everything else.
    if bytes.count % 32 != 0 { return accepted }
    var isCompressed = false
    do throws(WalletFormatError) {
      let labels = try WalletLabels(checking: text)
      isCompressed = true
      must(labels.count > 0 && labels.uncompressedSize <= bytes.count, "counts")
      let back = try WalletLabels.decompress(labels.compressed)
      must(back.count == labels.uncompressedSize, "the size")
      must(bytes.suffix(back.count).elementsEqual(back.copied), "other labels")
      must(try WalletLabels.check(back) == labels.count, "the number")
    } catch {
      must(!isCompressed, "what was compressed does not come back")
    }
    return accepted || isCompressed
  }
}

enum StateTarget {
  static func run(_ bytes: [UInt8]) -> Bool {
    #if DEBUG || FUZZING
    var accepted = false
    if let name = OperationName(bytes.span) {
      accepted = true
      must(OperationName(name.description) == name, "a name changes")
    }
    if let word = FreshnessWord(String(decoding: bytes, as: UTF8.self)) {
      accepted = true
      must(FreshnessWord(word.description) == word, "a word changes")
    }
    if let memory = LocalState(bytes.span) {
      accepted = true
      let written = memory.bytes
      must(LocalState(written.span) == memory, "the memory changes")
      for end in [written.count - 1, written.count - 4, written.count / 2] where end >= 0 {
        // The last line proves that none is missing.
        let cut = Array(written.prefix(end))
        must(end == written.count - 1 || LocalState(cut.span) == nil, "half a memory")
      }
    }
    return accepted
    #else
    return false
    #endif
  }
}

enum InputTarget {
  static func run(_ bytes: [UInt8]) -> Bool {
    let text = secret(bytes)
    var accepted = false
    do throws(WalletFormatError) {
      let mnemonic = try Mnemonic(checking: text)
      accepted = true
      must(try Mnemonic(checking: mnemonic.phrase).phrase.isEqual(to: mnemonic.phrase), "words")
    } catch {}
    var isDescriptor = false
    do throws(WalletFormatError) {
      let descriptor = try Descriptor(checking: text)
      isDescriptor = true
      must(descriptor.branchCount > 0, "branches")
      let again = try Descriptor(checking: descriptor.text)
      must(again.text.isEqual(to: descriptor.text) && again.hadChecksum, "a descriptor changes")
      for index in 0..<min(2, descriptor.branchCount) {
        must(
          try Descriptor(checking: descriptor.branch(index)).branchCount == 1, "a branch of one")
      }
    } catch {
      must(!isDescriptor, "a descriptor of ours is refused")
    }
    accepted = accepted || isDescriptor
    for half in [ExtendedKey.Expectation.privateKey, .publicKey] {
      do throws(WalletFormatError) {
        let key = try ExtendedKey(checking: text, expecting: half)
        accepted = true
        must(key.isPrivate == (half == .privateKey), "the other half")
      } catch {}
    }
    return accepted
  }
}
