import Testing

/// Somebody who writes to the synced folder and knows no secret of its owner.
///
/// The attacker's tool is Tests/attacks/plant.py. The attacker also runs web pages on which the
/// owner uses the same key.
struct Attacker: Sendable {
  let box: Sandbox

  /// Runs plant.py on a folder.
  @discardableResult
  func plant(
    _ what: String, in folder: String? = nil, _ options: [String]
  ) async throws -> JSON {
    let command = Python.script("attacks/plant.py") + [what, folder ?? box.folder] + options
    let outcome = try await box.run(command, key: nil)
    outcome.expectSuccess()
    return try JSON(outcome.output)
  }

  /// The knowledge of a web page whose owner also writes to the folder.
  ///
  /// It has the credential that the key of the backup's owner made for it, and the output for a
  /// salt of the page's choice.
  struct Page: Sendable {
    let host: String
    let credential: [UInt8]
    let salt: [UInt8]
    let output: String

    /// For plant.py: the page's credential.
    var named: [String] { ["--rp-id", host, "--credential-id", "hex:" + hex(credential)] }
    /// Also its salt and secret, which open what is planted.
    var opening: [String] { named + ["--prf-salt", hex(salt), "--prf-output", output] }
  }

  /// The owner logs in at a host with the key.
  func page(_ host: String = "evil.example", key: [String] = []) async throws -> Page {
    let credential = try await box.registerWithPython(rpID: host, discoverable: true, key: key)
    let salt = [UInt8](repeating: 0x5A, count: 32)
    let output = try await box.pythonFIDO2(
      rpID: host, credential: credential, inputs: [salt], key: key)[0]
    return Page(host: host, credential: credential, salt: salt, output: output)
  }
}
