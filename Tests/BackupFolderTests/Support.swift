import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

/// A backup folder, and computers that write to it, in a real temporary folder.
///
/// The temporary folder is deleted with the value.
final class Scene {
  let base: String
  var folder: String { base + "/cloud" }
  let prf = [UInt8](repeating: 7, count: 32)
  let enrolment = Enrolment(
    label: "Blue key",
    securityKey: KeyHeader.SecurityKey(
      rpID: "keybackup:", credentialID: [1, 2, 3], discoverable: true,
      aaguid: [UInt8](repeating: 9, count: 16), prfSalt: [UInt8](repeating: 5, count: 32)))

  /// - Parameter inMemory: whether to use a file system that syncs at once, if there is one.
  /// - Throws: the errors of the disk.
  init(inMemory: Bool = false) throws {
    let localState = "/dev/shm"
    let isThere = inMemory && FileManager.default.isWritableFile(atPath: localState)
    let place = isThere ? localState + "/" : NSTemporaryDirectory()
    base = place + "keybackup-test-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: base + "/cloud", withIntermediateDirectories: true)
  }

  deinit {
    unmount()
    _ = try? FileManager.default.removeItem(atPath: base)
  }

  func settings(_ computer: String = "a") -> BackupFolder.Settings {
    BackupFolder.Settings(
      stateFolder: base + "/state-" + computer, writerLabel: computer, clock: { 1_700_000_000 })
  }

  func open(_ computer: String = "a", _ path: String? = nil) throws -> BackupFolder {
    try BackupFolder.open(path: path ?? folder, settings: settings(computer))
  }

  func secret(_ bytes: [UInt8]? = nil) -> SecretBytes {
    let bytes = bytes ?? prf
    return unsafe SecretBytes(copying: bytes.span.bytes)
  }

  func create(_ computer: String = "a") throws -> OpenNamespace {
    try open(computer).create(enrolment, prfOutput: secret(), confirmedBy: secret())
  }

  func unlock(_ computer: String = "a", _ path: String? = nil) throws -> OpenNamespace {
    let namespace = try open(computer, path).namespace()
    let slot = try #require(try namespace.scan().keySlots.first)
    return try namespace.open(slot.unwrap(secret: secret()))
  }

  private var mounts: [String] = []

  /// Mounts a file system of `size` bytes at the cloud folder.
  func mountTmpfs(size: Int, files: Int = 10_000) throws {
    try runAsRoot("mount", "-t", "tmpfs", "-o", "size=\(size),nr_inodes=\(files)", "none", folder)
    mounts.append(folder)
  }

  func unmount() {
    for mount in mounts { _ = try? runAsRoot("umount", "--lazy", mount) }
    mounts = []
  }

  /// Only root mounts file systems and makes files immutable.
  func runAsRoot(_ arguments: String...) throws {
    try run(geteuid() == 0 ? arguments : ["sudo", "-n"] + arguments)
  }

  func run(_ arguments: String...) throws { try run(arguments) }

  private func run(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(arguments)")
  }

  var namespacePath: String {
    get throws {
      let id = try #require(try open().namespaces().first)
      return "\(folder)/cspp-namespaces/\(id)"
    }
  }

  func viewPath(_ wallet: String) throws -> String {
    "\(try namespacePath)/wallets/\(FolderLayout.walletFile(RecordID(walletID: wallet)))"
  }

  /// Every file below a folder with its bytes.
  static func contents(_ path: String) throws -> [String: Data] {
    var found: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
      var isFolder: ObjCBool = false
      _ = unsafe FileManager.default.fileExists(atPath: "\(path)/\(name)", isDirectory: &isFolder)
      if !isFolder.boolValue {
        found[name] = FileManager.default.contents(atPath: "\(path)/\(name)") ?? Data()
      }
    }
    return found
  }
}

enum Entry {
  static func text(_ wallet: String, _ words: String = "abandon about") -> String {
    """
    {"wallet_id":"\(wallet)","secret":{"Mnemonic":"\(words)"},"metadata":{"id":"\(wallet)",\
    "name":"\(wallet)","network":"Bitcoin","unknown":[1,2.50]},"descriptors":null,"xpub":null,\
    "wallet_mode":"Main","labels_zstd_jsonl":null,"labels_count":0,"labels_hash":null,\
    "labels_uncompressed_size":null,"content_revision_hash":"","updated_at":1700000000}
    """
  }
}

extension WalletBatch {
  /// A batch of wallets with made-up words.
  static func of(_ wallets: String..., words: String = "abandon about") throws -> WalletBatch {
    try of(wallets, words: words)
  }

  static func of(_ wallets: [String], words: String = "abandon about") throws -> WalletBatch {
    var batch = WalletBatch()
    for wallet in wallets {
      let entry = Array(Entry.text(wallet, words).utf8)
      try unsafe batch.append(entry.span.bytes)
    }
    return batch
  }
}

/// The restored wallets: `wallet words state`, sorted.
struct Restored: Equatable, CustomStringConvertible {
  var lines: [String] = []
  var report = WalletReport()
  var description: String { lines.description + " \(report)" }
}

extension OpenNamespace {
  mutating func restored() throws -> Restored {
    var result = Restored()
    result.report = try forEachWallet { version, bytes in
      var words = "none"
      if let secret = try version.entry.secret(in: bytes) { words = secret.text }
      result.lines.append("\(version.entry.walletID) \(words) \(version.state)")
    }
    result.lines.sort()
    return result
  }
}

extension SecretBytes {
  /// Shows text that is not secret in a test.
  var text: String {
    withBytes { span in
      unsafe span.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
  }
}
