internal import ArgumentParser
package import CSPP
package import CommandKit

/// The things that a computer may add without a touch.
enum GrantedKind: String, ExpressibleByArgument, CaseIterable {
  case files
  case wallets
  /// Files and wallets.
  case all

  /// The changes that count.
  var permissions: SilentWriter.Permissions {
    switch self {
    case .files: [.filePut, .fileRemove]
    case .wallets: .put
    case .all: [.filePut, .fileRemove, .put]
    }
  }
}

/// The choice of the things that a computer may add without a touch.
struct GrantOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What it may add: files, wallets or all (default: files).", valueName: "kind"))
  var may: GrantedKind?

  /// The changes that count.
  var permissions: SilentWriter.Permissions { (may ?? .files).permissions }
}

extension Output {
  /// Tells a computer that was authorised how to add something.
  package func note(howToAdd may: SilentWriter.Permissions) {
    if may.contains(.filePut) { note("To add a file: keybackup file add PATH") }
    if may.contains(.put) {
      note("To add a wallet: keybackup wallet add --name NAME --network bitcoin")
    }
  }
}
