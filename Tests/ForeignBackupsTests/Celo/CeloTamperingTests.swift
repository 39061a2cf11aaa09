import SecretMemory
import Testing

@testable import ForeignBackups

/// Each byte of a file changed, cut or put in.
///
/// It is refused, and the message says which part, or it is in a field that takes no part in the
/// key.
struct CeloTamperingTests {
  let vectors: CeloVectors

  init() throws { vectors = try CeloVectors() }

  /// The inputs of the key and the data.
  ///
  /// The answer of ODIS is given by hand here, and so is the fuse key: what they were asked with is
  /// of no effect.
  private struct Inputs: Equatable {
    let data: [UInt8]
    let salt: [UInt8]
    let usesODIS: Bool
    let usesFuse: Bool
    let hardening: CeloHardening?

    init(_ backup: CeloBackup) {
      data = backup.encryptedData
      salt = Array(backup.nonce.prefix(16))
      usesODIS = backup.odisDomain != nil
      usesFuse = backup.encryptedFuseKey != nil
      hardening = backup.hardening
    }
  }

  private enum Outcome: Hashable { case refusedUnread, doesNotOpen, withoutEffect }

  private func outcome(of file: [UInt8], _ original: CeloBackup) -> Outcome? {
    let read: CeloBackup
    do throws(ForeignBackupError) {
      read = try unsafe CeloBackup(parsing: file.span.bytes)
    } catch {
      // Every message begins with the part.
      #expect("\(error)".hasPrefix("the "), "\(error)")
      return .refusedUnread
    }
    let isSame = Inputs(read) == Inputs(original)
    do throws(ForeignBackupError) {
      let data = try open(
        read, vectors.password, fuseKey: vectors.fuseKey, odisOutput: vectors.odisOutput)
      return isSame && data == vectors.data ? .withoutEffect : nil
    } catch .unhardened {
      return isSame ? nil : .doesNotOpen
    } catch {
      #expect("\(error)".hasPrefix("the "), "\(error)")
      return isSame ? nil : .doesNotOpen
    }
  }

  @Test(arguments: ["pin", "scrypt 1024", "pbkdf2"])
  func `A byte that is changed, cut or put in is refused or without effect`(name: String) throws {
    // The order of the fields is as it was sorted; white space at the end would be allowed.
    let file = try vectors.oneCase(name).file
    let original = try vectors.oneCase(name).backup()
    var seen: Set<Outcome> = []
    for place in file.indices {
      var others = [1, 0x20, 0x80].map { (bits: UInt8) in
        var changed = file
        changed[place] ^= bits
        return changed
      }
      var grown = file
      grown.insert(UInt8(ascii: "0"), at: place)
      var shorter = file
      shorter.remove(at: place)
      others += [grown, shorter]
      for other in others {
        let outcome = outcome(of: other, original)
        #expect(outcome != nil, "byte \(place) of \(name)")
        if let outcome { seen.insert(outcome) }
      }
      #expect(outcome(of: Array(file[..<place]), original) == .refusedUnread)
    }
    #expect(outcome(of: file + [0], original) == .refusedUnread)
    #expect(outcome(of: file + [0x20], original) == .withoutEffect)
    #expect(seen == [.refusedUnread, .doesNotOpen, .withoutEffect])
  }
}
