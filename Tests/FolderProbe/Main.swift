import BackupFolder
import CSPP
import Glibc
import SecretMemory

/// Works on a backup folder as the command does, for tests to interrupt.
///
/// Its security key is simulated by an output that is known.
///
///     folder-probe FOLDER STATE-FOLDER VERB [WALLET...]
///
/// Verbs: init, add, remove, heal, retire (all other computers), keep (the shortest version of each
/// wallet). A wallet is `id` or `id=words`.
///
/// Verbs for key slots, which all have the same secret: `key-add ID`, `key-remove ID`, `rotate OLD
/// NEW`, and `finish NEW` (a rotation). An ID is a key ID, or `first` for the one that init made.
/// Verbs for files: `silent` (this computer becomes a silent writer), `silent-add NAME=TEXT`,
/// `silent-remove NAME`, `silent-wallets WALLET...`, `file-add NAME=TEXT`, `file-remove NAME`,
/// `choose NAME=TEXT` (its version with that text), `writer-retire`, `days N` (opens the backup once
/// a day for N days), `prune KEPT`. A text is repeated up to 100,000 bytes if it begins with `large`.
@main
struct FolderProbe {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count >= 3 else { exit(64) }
    do {
      try run(arguments[0], arguments[1], arguments[2], Array(arguments[3...]))
      print("done")
    } catch {
      print("error: \(error)")
      exit(1)
    }
  }

  private static func run(
    _ path: String, _ state: String, _ verb: String, _ wallets: [String]
  ) throws(BackupFolderError) {
    if verb == "days" {
      for day in 0...(UInt64(wallets[0]) ?? 0) { try openOnce(openFolder(path, state, day: day)) }
      return
    }
    let folder = try openFolder(path, state)
    if verb == "init" { return try initialise(folder) }
    if try FileVerbs.runSilently(folder, verb, wallets) { return }
    let namespace = try folder.namespace()
    let slots = try namespace.scan().keySlots
    guard let slot = KeySlotChoice(verb, wallets).opener(among: slots) else { throw .wrongKey }
    var open = try namespace.open(slot.unwrap(secret: output()), by: slot.keyID)
    open.noteOpener(slot, secret: output())
    if try FileVerbs.run(&open, folder, verb, wallets) { return }
    switch verb {
    case "key-add" where slot.keyID?.hex == wallets[0]: try open.repairKeySlots()
    case "key-add":
      try open.addKeySlot(enrolment(wallets[0]), secret: output(), confirmedBy: output())
    case "key-remove":
      let gone = wallets[0] == "first" ? KeySlotChoice.first(slots) : KeyID(hex: wallets[0])
      try open.removeKeySlots(Set([gone].compactMap(\.self)))
    case "rotate" where slot.keyID?.hex == wallets[1], "finish": try open.repairKeySlots()
    case "rotate":
      try open.addReplacement(
        enrolment(wallets[1], replaces: slot.keyID, salt: 6), secret: output())
    case "add": try open.add(batch(wallets))
    case "remove":
      try open.remove(wallets.map { RecordID(walletID: $0) })
    case "heal": try open.repair()
    case "retire":
      for writer in open.writers where !writer.isThisComputer { try open.retire(writer.id) }
    case "keep":
      var shortest: [RecordID: (version: VersionID, size: Int)] = [:]
      _ = open.forEachWallet { version, bytes in
        let known = shortest[version.recordID]
        if known.map({ $0.size > bytes.count }) ?? true {
          shortest[version.recordID] = (version.id, bytes.count)
        }
      }
      for (record, found) in shortest { _ = try open.keep(found.version, of: record) }
    default: exit(64)
    }
    if let problem = open.viewProblem { print("view: \(problem)") }
  }

  private static func openFolder(
    _ path: String, _ state: String, day: UInt64 = 0
  ) throws(BackupFolderError) -> BackupFolder {
    let settings = BackupFolder.Settings(
      stateFolder: state, writerLabel: "probe", clock: { 1_700_000_000 + day * 24 * 3600 })
    return try BackupFolder.open(path: path, settings: settings)
  }

  private static func openOnce(_ folder: BackupFolder) throws(BackupFolderError) {
    let namespace = try folder.namespace()
    guard let slot = try namespace.scan().keySlots.first else { throw .wrongKey }
    _ = try namespace.open(slot.unwrap(secret: output()), by: slot.keyID)
  }

  /// Creates a backup as `keybackup init` does: finishes what an earlier run began here.
  private static func initialise(_ folder: BackupFolder) throws(BackupFolderError) {
    for id in try folder.namespaces() {
      let namespace = try folder.namespace(id)
      guard try namespace.isUnfinishedHere else { continue }
      guard let slot = try namespace.scan().keySlots.first else { throw .wrongKey }
      _ = try namespace.resumeCreation(slot, prfOutput: output())
      return
    }
    let enrolment = enrolment(KeyID.random().hex)
    _ = try folder.create(enrolment, prfOutput: output(), confirmedBy: output())
  }

  private static func enrolment(
    _ id: String, replaces: KeyID? = nil, salt: UInt8 = 5
  ) -> Enrolment {
    Enrolment(
      label: "Blue key",
      kind: .securityKey(
        KeyHeader.SecurityKey(
          rpID: "keybackup:", credentialID: [1, 2, 3], discoverable: true,
          aaguid: [UInt8](repeating: 9, count: 16), prfSalt: [UInt8](repeating: salt, count: 32))),
      keyID: KeyID(hex: id) ?? .random(), replaces: replaces)
  }

  private static func output() -> SecretBytes {
    let bytes = [UInt8](repeating: 7, count: 32)
    return unsafe SecretBytes(copying: bytes.span.bytes)
  }

  static func batch(_ wallets: [String]) throws(BackupFolderError) -> WalletBatch {
    var batch = WalletBatch()
    for wallet in wallets {
      let parts = wallet.split(separator: "=", maxSplits: 1)
      let entry = entry(String(parts[0]), parts.count > 1 ? String(parts[1]) : "abandon about")
      let bytes = Array(entry.utf8)
      try unsafe batch.append(bytes.span.bytes)
    }
    return batch
  }

  private static func entry(_ wallet: String, _ words: String) -> String {
    """
    {"wallet_id":"\(wallet)","secret":{"Mnemonic":"\(words)"},"metadata":{"id":"\(wallet)",\
    "name":"\(wallet)","network":"Bitcoin"},"descriptors":null,"xpub":null,\
    "wallet_mode":"Main","labels_zstd_jsonl":null,"labels_count":0,"labels_hash":null,\
    "labels_uncompressed_size":null,"content_revision_hash":"","updated_at":1700000000}
    """
  }
}
