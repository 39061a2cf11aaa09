import Testing

/// Credentials for `derive` in a sandbox.
extension Sandbox {
  /// Makes a credential on the sandbox's key through the command.
  ///
  /// - Returns: its ID, base64url.
  func makeCredential(
    _ options: [String] = [], key: [String] = [], pin: PINGiven = .file
  ) async throws -> String {
    let made = try await keybackup(
      ["credential", "create", "--json"] + options, key: key, pin: pin)
    guard let id = try made.json()["credential_id"].text else { throw NotThatJSON(text: made.out) }
    return id
  }

  /// Derives with 32 bytes of 0x07 as raw salt.
  static let derive = [
    "derive", "--raw-salt", "--salt", "hex:" + String(repeating: "07", count: 32),
  ]
}

/// Expects an error of the command: its exit code, its word, and the user's message.
func expectFailure(
  _ outcome: Outcome, _ code: Int32, says texts: String...,
  at location: SourceLocation = #_sourceLocation
) {
  #expect(outcome.code == code, "\(outcome.text)", sourceLocation: location)
  #expect(outcome.out.isEmpty, "a result was printed: \(outcome.out)", sourceLocation: location)
  for text in texts {
    #expect(outcome.err.contains(text), "\(outcome.err)", sourceLocation: location)
  }
}

/// Expects an error of the command as JSON on standard output.
func expectFailure(
  _ outcome: Outcome, _ code: Int32, word: String, at location: SourceLocation = #_sourceLocation
) throws {
  #expect(outcome.code == code, "\(outcome.text)", sourceLocation: location)
  let error = try outcome.json()["error"]
  #expect(error["code"].text == word, "\(outcome.text)", sourceLocation: location)
  #expect(error["message"].text?.isEmpty == false, sourceLocation: location)
}
