internal import BackupFolder
internal import CSPP
internal import WalletFormats

extension UserMessage {
  /// The message for any error of making a wallet's entry.
  ///
  /// - Parameters:
  ///   - error: from the wallet's formats, the entry's, or the folder.
  ///   - what: names the entry, as for ``init(_:in:)``.
  package init(any error: any Error, in what: String) {
    self =
      switch error {
      case let error as UserMessage: error
      case let error as WalletFormatError: UserMessage(error)
      case let error as CSPPError: UserMessage(error, in: what)
      case let error as BackupFolderError: UserMessage(error)
      default: UserMessage(.internalError, "a fault in keybackup: unexpected error")
      }
  }
}
