internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import CommandSupport
internal import FoundationEssentials
internal import GuardProtocol
internal import SecretMemory
internal import SyncFolders

/// The session of a login: the X25519 key to which guards seal their secrets, and the releases that
/// they began for it.
///
/// It is kept on this computer until the backup has opened, readable by the user only. So a release
/// that waits for its delay needs no second login.
struct LoginSession: ~Copyable {
  /// The secret of the session key, 32 bytes.
  let secret: SecretBytes
  /// The session key.
  let publicKey: X25519Key
  /// The time from which each guard releases its secret, in Unix seconds.
  private(set) var times: [GuardID: UInt64]
  /// Whether the file of the times is damaged: every guard may have begun a release then.
  let hasLostTimes: Bool
  private let files: Files

  /// The release's ID, the same at all guards.
  var release: ReleaseID { ReleaseID(of: publicKey) }

  /// Whether guards may have begun releases.
  var isBegun: Bool { hasLostTimes || !times.isEmpty }

  /// Whether a guard may have begun a release.
  func isBegun(at guardID: GuardID) -> Bool { hasLostTimes || times[guardID] != nil }

  /// The file of the times, for a message.
  var timesFile: String { "\(files.folder)/\(files.timesName)" }

  /// The two files of a session: its secret, and the times of its releases.
  private struct Files {
    let folder: String
    let keyID: KeyID

    init(_ keyID: KeyID, _ world: World) throws(UserMessage) {
      guard let folder = world.guardFolder else {
        throw UserMessage(
          .config, "HOME is not set, so there is no place for the session of a login",
          hint: "set HOME or XDG_STATE_HOME")
      }
      self.folder = folder
      self.keyID = keyID
    }

    var secret: String { "\(folder)/login-\(keyID.hex).key" }
    var timesName: String { "login-\(keyID.hex).json" }

    /// The times; nil where the file is damaged, or gone.
    var times: [GuardID: UInt64]? {
      guard let text = ForeignFile.text("\(folder)/\(timesName)", limit: 16_384),
        let named = try? JSONDecoder().decode([String: UInt64].self, from: Data(text.utf8))
      else { return nil }
      let times = named.compactMap { id, time in GuardID(hex: id).map { ($0, time) } }
      guard times.count == named.count else { return nil }
      return Dictionary(times) { $1 }
    }
  }

  private init(
    _ secret: consuming SecretBytes, _ times: [GuardID: UInt64]?, _ files: Files
  ) throws(UserMessage) {
    guard let bytes = try? X25519.publicKey(of: secret), let key = X25519Key(bytes: bytes) else {
      throw UserMessage(
        .config, "the session of a login in \(ShellWord.quoted(files.secret)) is damaged",
        hint: "remove the file, and log in again")
    }
    self.secret = secret
    publicKey = key
    self.times = times ?? [:]
    hasLostTimes = times == nil
    self.files = files
  }

  /// The session of a key slot that waits for its guards; nil: there is none.
  ///
  /// The secret suffices. Without the times, all guards are asked.
  ///
  /// - Throws: `config`, `io`.
  static func waiting(_ keyID: KeyID, _ world: World) throws(UserMessage) -> LoginSession? {
    let files = try Files(keyID, world)
    guard FileCheck.exists(files.secret) else { return nil }
    let secret = try InputFile.readFile(files.secret, in: -100, limit: 64)
    return try LoginSession(secret, files.times, files)
  }

  /// Draws a session key and stores it.
  ///
  /// - Throws: `config`, `cannot-create`, `io`.
  static func new(_ keyID: KeyID, _ world: World) throws(UserMessage) -> LoginSession {
    let files = try Files(keyID, world)
    let session = try LoginSession(.random(count: X25519.keySize), [:], files)
    session.forget()
    do {
      // The folder is made with the file.
      try PrivateFolder.replace(Array("{}".utf8), as: files.timesName, in: files.folder)
    } catch {
      throw UserMessage(error)
    }
    try OutputFile.write(session.secret, to: files.secret, world.run)
    return session
  }

  /// Stores the times of the releases.
  mutating func keep(_ times: [GuardID: UInt64]) throws(UserMessage) {
    self.times = times
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let named = Dictionary(uniqueKeysWithValues: times.map { ($0.key.hex, $0.value) })
    do {
      try PrivateFolder.replace(
        Array(encoder.encode(named)), as: files.timesName, in: files.folder)
    } catch {
      throw UserMessage(
        .io, "the session of the login could not be stored in \(ShellWord.quoted(files.folder))")
    }
  }

  /// Removes the session.
  func forget() {
    OutputFile.remove(files.secret)
    OutputFile.remove("\(files.folder)/\(files.timesName)")
  }
}
