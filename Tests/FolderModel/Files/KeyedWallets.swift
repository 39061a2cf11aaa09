import BackupFolder
import CSPP
import TestSupport

extension FileWorld {
  /// The wallets' words as a run shows them, by record.
  func words(_ open: inout OpenNamespace) -> [RecordID: [String: VersionID]] {
    var shown: [RecordID: [String: VersionID]] = [:]
    _ = open.forEachWallet { version, bytes in
      shown[version.recordID, default: [:]][version.entry.words(in: bytes)] = version.id
    }
    return shown
  }

  /// Adds, removes or settles a wallet with the key.
  func change(_ act: KeyedAct, _ open: inout OpenNamespace) throws(BackupFolderError) -> String {
    let wallet = World.wallets.randomElement(using: &generator) ?? ""
    let record = RecordID(walletID: wallet)
    let shown = words(&open)[record, default: [:]]
    checkWords(Set(shown.keys))
    let known = Set(shown.keys)
    switch act {
    case .removeWallet:
      guard !shown.isEmpty else { return "nothing" }
      let number = begin(record, "", known)
      try open.remove([record])
      acknowledgeWallet(number)
      return "\(wallet): \(known.sorted())"
    case .keepWallet:
      guard let kept = shown.keys.sorted().randomElement(using: &generator), let id = shown[kept]
      else { return "nothing" }
      let number = begin(record, kept, known)
      _ = try open.keep(id, of: record)
      acknowledgeWallet(number)
      return "\(wallet): \(kept) of \(known.sorted())"
    default:
      let words = newWords()
      let number = begin(record, words, known)
      try open.add(FileTexts.batch(wallet, words: words))
      acknowledgeWallet(number)
      return "\(wallet) = \(words) for \(known.sorted())"
    }
  }

  /// Notes what somebody asks for.
  func begin(
    _ record: RecordID, _ words: String, _ known: Set<String>, key: SigningKey? = nil,
    isHonest: Bool = true
  ) -> Int {
    oracle.wallets.append(
      .init(record: record, words: words, known: known, key: key, isHonest: isHonest))
    return oracle.wallets.count - 1
  }

  func acknowledgeWallet(_ number: Int) {
    if !Crash.hasHappened { oracle.wallets[number].isAcknowledged = true }
  }

  /// Checks that nobody without authority added a wallet.
  func checkWords(_ shown: Set<String>) {
    if Crash.hasHappened { return }
    let forbidden = shown.intersection(oracle.forbiddenWords)
    if !forbidden.isEmpty { violate("wallets that nobody authorised: \(forbidden.sorted())") }
  }
}
