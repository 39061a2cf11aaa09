internal import BackupFolder
internal import CSPP
internal import CommandKit

/// The wallets whose names are near to what a person typed, where none has exactly that name.
///
/// They are proposed and never chosen: the wallet that is meant may be one whose file is not here.
struct SimilarWallets {
  private let selector: String
  private var names: Set<String> = []

  init(to selector: String) { self.selector = selector.trimmed.lowercased() }

  /// Looks at one wallet.
  mutating func note(_ version: WalletVersion) { note(version.entry.name) }

  /// Looks at the name of one wallet.
  mutating func note(_ name: String?) {
    guard let name, names.count < Self.most else { return }
    let small = name.lowercased()
    let begins = selector.count > 2 && small.hasPrefix(selector.prefix(3))
    if begins || small == selector { names.insert(name) }
  }

  /// The advice to choose one of them; nil: there are none.
  var advice: String? {
    guard !names.isEmpty else { return nil }
    let shown = names.sorted().prefix(3).map { "\"\(PrintableText.name($0, limit: 40))\"" }
    return "Did you mean \(shown.joined(separator: ", "))?"
  }

  /// Names that are kept: nobody reads more.
  private static let most = 100
}
