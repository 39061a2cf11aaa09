// This folder is for the master key that unlock stored in a keyring. Commands store and forget it,
// and Unlocking finds it there. Every command works without it too.

package import BackupFolder
package import CSPP
package import CommandKit
internal import FoundationEssentials
internal import SecretMemory
package import SecretStores

/// A keyring of this computer that holds a backup's master key because `unlock` stored it there.
package enum CachedKeyPlace: String, Sendable {
  case kernelKeyring = "kernel-keyring"
  case secretService = "secret-service"

  /// The keyring's name for people.
  package var words: String {
    switch self {
    case .kernelKeyring: "the kernel's keyring"
    case .secretService: "the desktop's keyring"
    }
  }
}

/// A backup's master key in a keyring of this computer.
///
/// The kernel's keyring keeps it for a limited time, the desktop's until `lock`. It is bound to the
/// namespace and to the folder's path: a copy of the folder elsewhere needs its security key. See
/// docs/decisions/0022.
package struct CachedMasterKey: Sendable {
  package let namespaceID: NamespaceID
  /// Identifies the folder's path without revealing it.
  private let folderTag: String
  private let world: World

  /// Creates the value for a namespace in a folder.
  package init(_ id: NamespaceID, in folder: BackupFolder, _ world: World) {
    self.init(id, Self.tag(of: folder), world)
  }

  private init(_ id: NamespaceID, _ folderTag: String, _ world: World) {
    (namespaceID, self.folderTag, self.world) = (id, folderTag, world)
  }

  private static func tag(of folder: BackupFolder) -> String {
    let place = FileCheck.absolute(folder.path) ?? folder.path
    return String(Hex.string(SHA256.hash(Array(place.utf8))).prefix(32))
  }

  // MARK: All keys of a folder

  /// The keys of a folder in the kernel's keyring.
  ///
  /// Each rotation of the master key leaves a namespace whose key may still be cached.
  package static func inKernel(
    of folder: BackupFolder, _ world: World
  ) throws(SecretStoreError) -> [CachedMasterKey] {
    let tag = tag(of: folder)
    return try KernelKeyring.names(startingWith: prefix).compactMap { name in
      guard let id = id(in: name.dropFirst(prefix.count), before: ":" + tag) else { return nil }
      return CachedMasterKey(id, tag, world)
    }
  }

  /// The keys of a folder that may be in the desktop's keyring.
  package static func marked(of folder: BackupFolder, _ world: World) -> [CachedMasterKey] {
    let tag = tag(of: folder)
    return marks(world).sorted().compactMap { mark in
      id(in: mark[...], before: "-" + tag).map { CachedMasterKey($0, tag, world) }
    }
  }

  private static func id(in name: Substring, before end: String) -> NamespaceID? {
    name.hasSuffix(end) ? NamespaceID(hex: String(name.dropLast(end.count))) : nil
  }

  // MARK: The kernel's keyring

  /// The prefix of all names of this program.
  package static let prefix = "keybackup:"

  private var name: String { "\(Self.prefix)\(namespaceID.hex):\(folderTag)" }

  /// A key that was found in the kernel's keyring.
  package struct Found: ~Copyable {
    package let masterKey: MasterKey
    let secondsLeft: Int
  }

  /// Finds the key in the kernel's keyring.
  package func inKernel() throws(SecretStoreError) -> Found? {
    guard let found = try KernelKeyring.find(name) else { return nil }
    let seconds = found.secondsLeft
    guard let key = try? MasterKey(found.secret.copy()), key.namespaceID == namespaceID else {
      throw .notKept
    }
    return Found(masterKey: key, secondsLeft: seconds)
  }

  /// Checks whether the kernel's keyring would accept the key.
  package func checkKernel() throws(SecretStoreError) {
    try KernelKeyring.check(name, count: MasterKey.byteCount)
  }

  /// Stores the key in the kernel's keyring.
  package func keepInKernel(
    _ key: borrowing MasterKey, for seconds: Int
  ) throws(SecretStoreError) {
    let bytes = key.withBytes { SecretBytes(copying: $0) }
    try KernelKeyring.keep(bytes, as: name, for: seconds)
  }

  /// Wipes the key from the kernel's keyring.
  func forgetInKernel() throws(SecretStoreError) -> Bool { try KernelKeyring.forget(name) }

  // MARK: The desktop's keyring

  /// The attribute of all items of this program.
  static let schema: SecretService.Attributes = ["xdg:schema": "keybackup.MasterKey"]

  private var attributes: SecretService.Attributes {
    Self.schema.merging(["namespace": namespaceID.hex, "folder": folderTag]) { _, own in own }
  }

  /// Finds the key in the desktop's keyring.
  func inDesktop(_ service: inout SecretService) throws(SecretStoreError) -> MasterKey? {
    guard let digits = try service.find(attributes) else { return nil }
    var bytes = SecretBytes(zeroed: MasterKey.byteCount)
    let isHex = digits.withBytes { Hex.decode($0, into: &bytes) }
    guard isHex, let key = try? MasterKey(bytes), key.namespaceID == namespaceID else {
      throw .notKept
    }
    return key
  }

  /// Checks whether the desktop's keyring has the key, without unlocking the keyring.
  func lookInDesktop(
    _ service: inout SecretService
  ) throws(SecretStoreError) -> SecretService.Presence {
    try service.look(for: attributes)
  }

  /// Stores the key in the desktop's keyring, as text: some services can store nothing else.
  package func keepInDesktop(
    _ key: borrowing MasterKey, _ service: inout SecretService
  ) throws(SecretStoreError) {
    var digits = SecretBytes(zeroed: 2 * MasterKey.byteCount)
    key.withBytes { bytes in
      unsafe digits.withUnsafeMutableBytes { unsafe Hex.encode(bytes, into: $0) }
    }
    let label = "keybackup: master key of backup \(namespaceID.hex.prefix(8))"
    try service.keep(digits, label: label, attributes)
  }

  /// Removes the key from the desktop's keyring.
  func forgetInDesktop(_ service: inout SecretService) throws(SecretStoreError) -> Bool {
    try service.forget(attributes) > 0
  }

  /// Whether `unlock --keep` was used here.
  ///
  /// Only then is the desktop queried, so that no other user's command waits for it.
  var mayBeInDesktop: Bool { markPath.map(FileCheck.exists) ?? false }

  /// Records that ``keepInDesktop(_:_:)`` is about to be used.
  ///
  /// - Throws: `config` without a home; `io`.
  package func markDesktop() throws(UserMessage) {
    guard let folder = Self.markFolder(world) else {
      throw UserMessage(
        .config, "HOME is not set, so there is no place to remember that the key is kept",
        hint: "set HOME or XDG_STATE_HOME")
    }
    do throws(BackupFolderError) {
      try PrivateFolder.replace(Array("keybackup unlock --keep\n".utf8), as: mark, in: folder)
    } catch {
      throw UserMessage(error)
    }
  }

  /// Removes the mark.
  func unmarkDesktop() { if let markPath { FileCheck.remove(markPath) } }

  private var mark: String { "\(namespaceID.hex)-\(folderTag)" }
  private var markPath: String? { Self.markFolder(world).map { "\($0)/\(mark)" } }

  /// The names of all marks.
  private static func marks(_ world: World) -> [String] {
    markFolder(world).map {
      ((try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? [])
        .filter { !$0.hasPrefix(".") }
    } ?? []
  }

  /// The marks of every backup.
  static func markPaths(_ world: World) -> [String] {
    marks(world).compactMap { mark in markFolder(world).map { "\($0)/\(mark)" } }
  }

  private static func markFolder(_ world: World) -> String? {
    world.stateFolder.map { $0 + "/secret-service" }
  }
}

extension World {
  /// Connects to the desktop's keyring.
  package func secretService(mayPrompt: Bool) throws(SecretStoreError) -> SecretService {
    try SecretService(
      SessionBus(
        address: variable("DBUS_SESSION_BUS_ADDRESS"), runtimeFolder: variable("XDG_RUNTIME_DIR")),
      isPromptAllowed: mayPrompt, isInterrupted: { Interruption.received })
  }
}
