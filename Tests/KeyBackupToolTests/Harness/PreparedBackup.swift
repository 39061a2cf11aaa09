import Glibc
import Synchronization
import Testing

/// A sandbox with a backup of three wallets in its folder.
struct PreparedBackup: Sendable {
  static let ids = ["first-wallet", "second-wallet", "third-wallet"]

  let box: Sandbox
  let namespaceID: String
  let keyID: String
  /// base64url.
  let credentialID: String

  var place: String { box.folder + "/cspp-namespaces/" + namespaceID }
  var envelope: String {
    place + "/master-key/masterkey-63614d1802ec82bed9a65929eb3aa887bcc1b907eaa3720e90f3b24a1315bf80"
      + ".json"
  }
  var wrapper: String { place + "/keybackup/keys/" + keyID + ".json" }
  /// The wallet files of the view, sorted.
  var wallets: [String] { Files.tree(place + "/wallets").map { place + "/wallets/" + $0 } }
  /// The operations in the log: init's and the import's.
  var operations: [String] {
    Files.tree(place + "/keybackup/log").sorted { $0.suffix(46) < $1.suffix(46) }
      .map { place + "/keybackup/log/" + $0 }
  }

  /// Copies a backup that is made once.
  ///
  /// The copy has the same key and the same folder contents, and a computer that has never seen it.
  init() async throws {
    let original = try await Self.original.value
    box = try Sandbox()
    (namespaceID, keyID, credentialID) = (
      original.namespaceID, original.keyID, original.credentialID
    )
    try Files.remove(box.folder)
    try Files.copy(original.box.folder, to: box.folder)
    try Files.copy(original.box.keyState, to: box.keyState)
  }

  /// Imports a wallet, and restores the earlier state of the folder.
  ///
  /// A copy of the earlier state stays in the sandbox's folder `old`.
  func rollBackAnImport() async throws {
    let old = box.root + "/old"
    try Files.copy(box.folder, to: old)
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(Samples.entry(id: "fourth", name: "Fourth").utf8))
    try Files.remove(box.folder)
    try Files.copy(old, to: box.folder)
  }

  private init(making box: Sandbox) async throws {
    self.box = box
    let json = try await box.keybackup(["init", "--json"]).json()
    namespaceID = json["namespace_id"].text ?? ""
    keyID = json["key_id"].text ?? ""
    credentialID = json["credential_id"].text ?? ""
    let entries = Self.ids.map { Samples.entry(id: $0, name: "Name of " + $0) }
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(entries.joined(separator: "\n").utf8))
  }

  private static let original = Task {
    let box = try Sandbox()
    leftOver.withLock { $0 = box.root }
    // Nothing else ends the lifetime of a static property's value.
    atexit { PreparedBackup.leftOver.withLock { try? Files.remove($0) } }
    return try await PreparedBackup(making: box)
  }

  private static let leftOver = Mutex("")
}
