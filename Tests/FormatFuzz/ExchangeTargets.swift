import CSPP
import SecretMemory
import WalletFormats

enum CovbTarget {
  static func run(_ bytes: [UInt8]) -> Bool {
    do { try CovbFile.check(secret(bytes)) } catch {}
    switch try? CovbContent(parsing: secret(bytes)) {
    case nil: return false
    case .some(let content): return check(content)
    }
  }

  private static func check(_ content: borrowing CovbContent) -> Bool {
    var writer = CovbWriter()
    var digests: [Digest] = []
    for index in 0..<content.count {
      do throws(CovbProblem) {
        let wallet = try content.wallet(index)
        let entry = try wallet.entry(updatedAt: 1, withLabels: false)
        must((try? WalletEntry(parsing: entry)) != nil, "an entry that is none")
        writer.append(wallet)
        digests.append(wallet.digest())
      } catch {}
    }
    do {
      let again = try CovbContent(parsing: writer.finish(createdAt: content.createdAt))
      must(again.count == digests.count && again.createdAt == content.createdAt, "wallets")
      for (index, digest) in digests.enumerated() {
        must(try again.wallet(index).digest() == digest, "a wallet changes")
      }
    } catch {
      must(false, "what is written is not read")
    }
    return true
  }
}

enum ListsTarget {
  static func run(_ bytes: [UInt8]) -> Bool {
    var accepted = false
    do throws(WalletFormatError) {
      let mnemonic = try SeedQR.mnemonic(from: secret(bytes))
      accepted = true
      let digits = try SeedQR.digits(of: mnemonic)
      must(
        try SeedQR.mnemonic(from: digits).phrase.isEqual(to: mnemonic.phrase), "other words")
    } catch {
      must(!accepted, "digits that are not read")
    }
    switch try? DescriptorList(parsing: secret(bytes)) {
    case nil: return accepted
    case .some(let list): return check(list)
    }
  }

  private static func check(_ list: borrowing DescriptorList) -> Bool {
    do throws(WalletFormatError) {
      for index in 0..<list.count {
        let wallet = try list.wallet(index)
        var writer = DescriptorListWriter()
        try writer.append(wallet.text, timestamp: 0)
        must(try DescriptorList(parsing: writer.finish()).count > 0, "a list without wallets")
      }
    } catch {
      must(false, "a descriptor that was checked is refused")
    }
    return true
  }
}
