/// The names of files and folders; every path is relative to the backup folder.
public enum FolderLayout {
  /// The folder of all namespaces.
  public static let namespaces = "cspp-namespaces"
  /// The folder of the master-key envelope, in a namespace.
  public static let masterKeyFolder = "master-key"
  /// The folder of the wallet envelopes, in a namespace.
  public static let walletFolder = "wallets"
  /// The folder of everything that CSPP does not define, in a namespace.
  public static let ownFolder = "keybackup"
  /// The folder of the key slots, in ``ownFolder``.
  public static let keyFolder = "keys"
  /// The folder of the operation logs, in ``ownFolder``.
  public static let logFolder = "log"
  /// The folder of the operations of silent writers, in ``ownFolder``.
  public static let sealedFolder = "sealed"
  /// The folder of the contents of files, in ``ownFolder``.
  public static let objectFolder = "objects"
  /// The names of all folders in a namespace that are not named after an ID.
  public static let folders: Set<String> = [
    masterKeyFolder, walletFolder, ownFolder, keyFolder, logFolder, sealedFolder, objectFolder,
  ]
  /// The master key's record ID.
  public static let masterKeyRecordID = "cspp-master-key-v1"
  /// The name of the master-key envelope: the digest of its record ID.
  public static let masterKeyFile =
    "masterkey-63614d1802ec82bed9a65929eb3aa887bcc1b907eaa3720e90f3b24a1315bf80.json"

  /// The folder of a namespace.
  public static func namespace(_ id: NamespaceID) -> String { "\(namespaces)/\(id)" }

  /// The path of the master-key envelope.
  public static func masterKey(_ id: NamespaceID) -> String {
    "\(namespace(id))/\(masterKeyFolder)/\(masterKeyFile)"
  }

  /// The path of the master-key envelope in older programs; the current place takes precedence.
  public static func olderMasterKey(_ id: NamespaceID) -> String {
    "\(namespace(id))/\(masterKeyFile)"
  }

  /// The name of a wallet's envelope.
  public static func walletFile(_ record: RecordID) -> String { "wallet-\(record).json" }

  /// The path of a wallet's envelope.
  public static func wallet(_ record: RecordID, in id: NamespaceID) -> String {
    "\(namespace(id))/\(walletFolder)/\(walletFile(record))"
  }

  /// The path of a wallet's envelope in older programs; the current place takes precedence.
  public static func olderWallet(_ record: RecordID, in id: NamespaceID) -> String {
    "\(namespace(id))/\(walletFile(record))"
  }

  /// The name of a key slot's file.
  public static func keyFile(_ key: KeyID) -> String { "\(key).json" }

  /// The folder of the key slots.
  public static func keys(_ id: NamespaceID) -> String {
    "\(namespace(id))/\(ownFolder)/\(keyFolder)"
  }

  /// The path of a key slot's file.
  public static func key(_ key: KeyID, in id: NamespaceID) -> String {
    "\(keys(id))/\(keyFile(key))"
  }

  /// The folder of the logs of all computers.
  public static func log(_ id: NamespaceID) -> String {
    "\(namespace(id))/\(ownFolder)/\(logFolder)"
  }

  /// The folder of one computer's log.
  public static func log(of writer: WriterID, in id: NamespaceID) -> String {
    "\(log(id))/\(writer)"
  }

  /// The folder of the chains of all silent writers.
  public static func sealed(_ id: NamespaceID) -> String {
    "\(namespace(id))/\(ownFolder)/\(sealedFolder)"
  }

  /// The folder of one silent writer's chain.
  public static func sealed(of writer: WriterID, in id: NamespaceID) -> String {
    "\(sealed(id))/\(writer)"
  }

  /// The folder of the objects, which hold the contents of files.
  public static func objects(_ id: NamespaceID) -> String {
    "\(namespace(id))/\(ownFolder)/\(objectFolder)"
  }

  /// The name of an object: the digest of its bytes.
  public static func objectFile(_ object: Digest) -> String { "\(object).bin" }

  /// The path of an object.
  public static func object(_ object: Digest, in id: NamespaceID) -> String {
    "\(objects(id))/\(objectFile(object))"
  }

  /// The name of an operation's file: its counter in at least 8 digits, and the first 32 digits of
  /// its digest.
  ///
  /// So two files with the same counter never have the same name.
  public static func operationFile(counter: UInt64, digest: Digest) -> String {
    let digits = String(counter)
    let zeroes = String(repeating: "0", count: max(0, 8 - digits.utf8.count))
    return "\(zeroes)\(digits)-\(digest.hex.prefix(32)).json"
  }

  /// The record of a wallet's envelope, if the name is one that CSPP gives.
  public static func record(ofWalletFile name: String) -> RecordID? {
    guard name.hasPrefix("wallet-"), name.hasSuffix(".json") else { return nil }
    return RecordID(hex: String(name.dropFirst(7).dropLast(5)))
  }
}
