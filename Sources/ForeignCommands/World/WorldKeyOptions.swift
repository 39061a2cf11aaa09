internal import ArgumentParser
internal import CommandKit
internal import CommandSupport
internal import ForeignBackups
internal import SecretMemory
internal import SyncFolders

/// How a sealed archive is opened: the encrypted keypair, and the factor that opens that.
struct WorldKeyOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Take the keypairs from the server's metadata (JSON).",
      valueName: "file"))
  var metadata: String?

  @Option(
    help: ArgumentHelp(
      "The encrypted keypair: hex digits, or their file.", valueName: "hex"))
  var encryptedKeypair: String?

  @Option(
    help: ArgumentHelp(
      "Read the factor secret (hex) from this file or -.", valueName: "file"))
  var factorSecret: String?

  @OptionGroup var passkey: WorldPasskeyOptions

  @Option(
    help: ArgumentHelp("Refuse the archive of any other account.", valueName: "id"))
  var accountId: String?

  @OptionGroup var place: SyncedFolderOption

  mutating func validate() throws {
    if passkey.securityKey, factorSecret != nil {
      throw ValidationError("the factor is --factor-secret or --security-key: choose one")
    }
    guard (metadata == nil) != (encryptedKeypair == nil) || isUnused else {
      throw ValidationError("give one of --metadata and --encrypted-keypair")
    }
    if [metadata, encryptedKeypair, factorSecret].count(where: { $0 == "-" }) > 1 {
      throw ValidationError("only one input can come from standard input")
    }
    if let accountId { try Self.check(accountID: accountId) }
  }

  /// Whether none of these options is given.
  var isUnused: Bool {
    metadata == nil && encryptedKeypair == nil && factorSecret == nil && !passkey.isGiven
  }

  /// `-` if an input comes from standard input.
  var input: String? { [metadata, encryptedKeypair, factorSecret].first { $0 == "-" } ?? nil }

  private static func check(accountID: String) throws {
    let digits = accountID.dropping(prefix: WorldAccountKey.idPrefix)
    guard let digits, LenientDecoding.hex(digits)?.count == 33 else {
      throw ValidationError(
        "--account-id takes \(WorldAccountKey.idPrefix) and 66 hex digits")
    }
  }

  /// The encrypted keypairs, read and parsed.
  ///
  /// - Throws: the errors of reading, `data-invalid`.
  func keypairs(_ world: World) throws(UserMessage) -> WorldKeypairs {
    if let metadata {
      let text = try InputFile.readSecret(metadata, limit: WorldLimits.metadata, world.streams)
      do throws(ForeignBackupError) {
        return .metadata(
          try text.withBytes { (text) throws(ForeignBackupError) in
            try WorldMetadata(parsing: text)
          })
      } catch {
        throw UserMessage(error, in: metadata)
      }
    }
    let given = encryptedKeypair ?? ""
    if let box = LenientDecoding.hex(given), box.count == WorldKeypair.size {
      return .one(try Self.keypair(box, in: nil))
    }
    // It is no path, but digits with one too few or too many.
    if given.utf8.count > 64, given.utf8.allSatisfy({ Hex.isDigit($0, upperCase: true) }),
      !FileCheck.exists(given)
    {
      throw UserMessage(
        .dataInvalid,
        "an encrypted keypair is \(2 * WorldKeypair.size) hex digits, and these are \(given.utf8.count)",
        hint: "copy it again, all of it")
    }
    let text = try InputFile.read(given, limit: 4096, world.streams)
    guard let box = LenientDecoding.hex(String(decoding: text, as: UTF8.self).trimmed) else {
      throw UserMessage(
        .dataInvalid, "\(ShellWord.quoted(given)) has no encrypted keypair: it is 160 hex digits",
        hint: "for a file of the server with keys in it: --metadata FILE")
    }
    return .one(try Self.keypair(box, in: given))
  }

  private static func keypair(
    _ box: [UInt8], in file: String?
  ) throws(UserMessage) -> WorldKeypair {
    do throws(ForeignBackupError) {
      return try WorldKeypair(box: box)
    } catch {
      throw UserMessage(error, in: file)
    }
  }
}

/// The encrypted keypairs that a factor may open.
enum WorldKeypairs {
  case one(WorldKeypair)
  case metadata(WorldMetadata)

  /// The server's metadata; nil where only a keypair was given.
  var metadata: WorldMetadata? {
    if case .metadata(let metadata) = self { metadata } else { nil }
  }

  /// The secret that opens the archive.
  ///
  /// - Throws: ``ForeignBackupError/wrongSecret(part:)``.
  func open(with factor: borrowing SecretBytes) throws(ForeignBackupError) -> SecretBytes {
    switch self {
    case .one(let keypair): try keypair.open(with: factor)
    case .metadata(let metadata): try metadata.open(with: factor)
    }
  }
}
