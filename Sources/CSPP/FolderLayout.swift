/// Names of files and folders; every path is relative to the backup folder.
public enum FolderLayout {
  /// The folder of all namespaces.
  public static let namespaces = "cspp-namespaces"
  /// Folder of the master-key envelope, in a namespace.
  public static let masterKeyFolder = "master-key"
  /// Folder of the wallet envelopes, in a namespace.
  public static let walletFolder = "wallets"
  /// Folder of all that CSPP does not know, in a namespace.
  public static let ownFolder = "keybackup"
  /// Folder of the key slots, in ``ownFolder``.
  public static let keyFolder = "keys"
  /// Folder of the operation logs, in ``ownFolder``.
  public static let logFolder = "log"
  /// The master key's record ID.
  public static let masterKeyRecordID = "cspp-master-key-v1"
  /// Name of the master-key envelope: the digest of its record ID.
  public static let masterKeyFile =
    "masterkey-63614d1802ec82bed9a65929eb3aa887bcc1b907eaa3720e90f3b24a1315bf80.json"

  /// Folder of a namespace.
  public static func namespace(_ id: NamespaceID) -> String { "\(namespaces)/\(id)" }

  /// Path of the master-key envelope.
  public static func masterKey(_ id: NamespaceID) -> String {
    "\(namespace(id))/\(masterKeyFolder)/\(masterKeyFile)"
  }

  /// Path of the master-key envelope as older programs wrote it; the current
  /// place wins.
  public static func olderMasterKey(_ id: NamespaceID) -> String {
    "\(namespace(id))/\(masterKeyFile)"
  }

  /// Name of a wallet's envelope.
  public static func walletFile(_ record: RecordID) -> String { "wallet-\(record).json" }

  /// Path of a wallet's envelope.
  public static func wallet(_ record: RecordID, in id: NamespaceID) -> String {
    "\(namespace(id))/\(walletFolder)/\(walletFile(record))"
  }

  /// Path of a wallet's envelope as older programs wrote it; the current place
  /// wins.
  public static func olderWallet(_ record: RecordID, in id: NamespaceID) -> String {
    "\(namespace(id))/\(walletFile(record))"
  }

  /// Name of a key slot.
  public static func keyFile(_ key: KeyID) -> String { "\(key).json" }

  /// Folder of the key slots.
  public static func keys(_ id: NamespaceID) -> String {
    "\(namespace(id))/\(ownFolder)/\(keyFolder)"
  }

  /// Path of a key slot.
  public static func key(_ key: KeyID, in id: NamespaceID) -> String {
    "\(keys(id))/\(keyFile(key))"
  }

  /// Folder of every computer's log.
  public static func log(_ id: NamespaceID) -> String {
    "\(namespace(id))/\(ownFolder)/\(logFolder)"
  }

  /// Folder of one computer's log.
  public static func log(of writer: WriterID, in id: NamespaceID) -> String {
    "\(log(id))/\(writer)"
  }

  /// Name of an operation: its counter in at least 8 digits, and the first 32
  /// of its digest, so that two files of one counter never share a name.
  public static func operationFile(counter: UInt64, digest: Digest) -> String {
    let digits = String(counter)
    let zeroes = String(repeating: "0", count: max(0, 8 - digits.utf8.count))
    return "\(zeroes)\(digits)-\(digest.hex.prefix(32)).json"
  }

  /// The record whose envelope this is, if the name is one that CSPP gives.
  public static func record(ofWalletFile name: String) -> RecordID? {
    guard name.hasPrefix("wallet-"), name.hasSuffix(".json") else { return nil }
    return RecordID(hex: String(name.dropFirst(7).dropLast(5)))
  }
}
