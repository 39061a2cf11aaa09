internal import CSPP

extension UserMessage {
  /// What a format error means to a person.
  ///
  /// - Parameters:
  ///   - error: from the format's parsers.
  ///   - what: names the thing that was read, such as "line 3".
  init(_ error: CSPPError, in what: String) {
    let (code, reason): (ExitCode, String) =
      switch error {
      case .empty: (.incomplete, "is empty")
      case .truncated: (.dataInvalid, "ends in the middle")
      case .tooLarge(let limit): (.dataInvalid, "is larger than \(limit) bytes")
      case .notJSON(let offset): (.dataInvalid, "is not JSON (byte \(offset + 1))")
      case .tooDeep: (.dataInvalid, "nests too deep")
      case .notAnObject: (.dataInvalid, "is no JSON object")
      case .duplicateField(let name): (.dataInvalid, "has the field \(name) twice")
      case .missingField(let name): (.dataInvalid, "lacks the field \(name)")
      case .invalidField(let name): (.dataInvalid, "has an invalid field \(name)")
      case .otherFormat: (.dataInvalid, "is of another format")
      case .unsupportedVersion: (.dataInvalid, "is of a version that is not known here")
      case .contradictsPlace(let name):
        (.dataInvalid, "lies in the wrong place: \(name) does not fit")
      case .authenticationFailed: (.dataInvalid, "was changed or belongs to another key")
      case .otherNamespace: (.dataInvalid, "belongs to another backup")
      case .otherRecord: (.dataInvalid, "holds another wallet than its name says")
      case .otherWalletID: (.dataInvalid, "holds another wallet than it says")
      case .privateKeyInVersion1:
        (.dataInvalid, "holds an extended private key, which needs version 2")
      case .unknownSecretKind: (.dataInvalid, "holds a secret of an unknown kind")
      case .labelsTooLarge: (.dataInvalid, "holds labels of more than 10 MiB")
      }
    self = UserMessage(code, "\(what) \(reason)")
  }
}
