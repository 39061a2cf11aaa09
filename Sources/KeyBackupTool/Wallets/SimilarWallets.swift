internal import BackupFolder
internal import CSPP

/// The wallets whose names are near to what a person typed, where none has exactly that name.
struct SimilarWallets {
  private let selector: String
  /// Those that have the name but for capital and small letters.
  private var alike: Set<RecordID> = []
  private var names: Set<String> = []

  init(to selector: String) { self.selector = selector.trimmed.lowercased() }

  /// Looks at one wallet.
  mutating func note(_ version: WalletVersion) {
    guard let name = version.entry.name, names.count < Self.most else { return }
    let small = name.lowercased()
    if small == selector { alike.insert(version.recordID) }
    let begins = selector.count > 2 && small.hasPrefix(selector.prefix(3))
    if begins || small == selector { names.insert(name) }
  }

  /// The only one that has the name but for capital and small letters.
  var only: RecordID? { alike.count == 1 ? alike.first : nil }

  /// The advice to choose one of them; nil: there are none.
  var advice: String? {
    guard !names.isEmpty else { return nil }
    let shown = names.sorted().prefix(3).map { "\"\(PrintableText.name($0, limit: 40))\"" }
    return "Did you mean \(shown.joined(separator: ", "))?"
  }

  /// Names that are kept: nobody reads more.
  private static let most = 100
}
