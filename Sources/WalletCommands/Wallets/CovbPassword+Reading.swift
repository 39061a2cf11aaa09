package import CommandKit
package import SecretMemory
package import WalletFormats

extension CovbPassword {
  /// The password of a `.covb` file: from where the options say, else from the person.
  ///
  /// - Parameters:
  ///   - options: where it comes from.
  ///   - prompter: the person.
  ///   - twice: whether a person types it twice.
  /// - Returns: the password, cleaned.
  /// - Throws: as ``PasswordOptions/read(_:_:twice:limit:)``; `data-invalid` for what is no password.
  package static func read(
    _ options: PasswordOptions, _ prompter: Prompter, twice: Bool
  ) throws(UserMessage) -> CovbPassword {
    try clean(
      options.read("password of the .covb file", prompter, twice: twice, limit: sizeLimit))
  }

  /// The password in a text.
  ///
  /// - Throws: `data-invalid`.
  package static func clean(_ text: borrowing SecretBytes) throws(UserMessage) -> CovbPassword {
    do throws(WalletFormatError) {
      return try CovbPassword(cleaning: text)
    } catch {
      throw UserMessage(error)
    }
  }
}
