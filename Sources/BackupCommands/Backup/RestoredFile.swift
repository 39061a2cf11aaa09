package import BackupFolder
internal import CSPP
package import CommandKit
package import SecretMemory
internal import WalletCommands
internal import WalletFormats

/// One file that `restore --out` writes: what it is called, and whose it is.
///
/// Holds no secret.
package struct RestoredFile: Sendable, Comparable {
  /// The file's name in the folder.
  private(set) var name: String
  /// A name of ASCII letters, which every file system can have.
  private let plainName: String
  /// Its own name, where the file system cannot have that; nil: it has it.
  fileprivate private(set) var ownName: String?
  let wallet: WalletRow

  /// The names that it may get, best first.
  package var names: [String] { name == plainName ? [name] : [name, plainName] }

  /// The file under one of its names.
  func named(_ name: String) -> RestoredFile {
    var file = self
    if name != self.name { (file.name, file.ownName) = (name, self.name) }
    return file
  }

  /// - Parameters:
  ///   - version: what the file holds.
  ///   - entry: its bytes.
  ///   - isNamed: whether its name begins with the wallet's.
  package init(_ version: WalletVersion, in entry: borrowing SecretBytes, isNamed: Bool) {
    wallet = WalletRow(version, in: entry)
    let isFirst = version.ordinal == 0
    let suffix =
      version.state == .heldBack
      ? "-held-back" + (isFirst ? "" : "-\(version.ordinal)")
      : isFirst ? "" : "-conflict-\(version.ordinal)"
    let record = version.recordID.hex
    plainName = "wallet-\(record)\(suffix).json"
    name =
      isNamed
      ? "\(Self.safe(wallet.name ?? ""))-\(record.prefix(Self.recordDigits))\(suffix).json"
      : plainName
  }

  /// Digits of the record ID that tell wallets of one name apart.
  private static let recordDigits = 16
  /// Most bytes of a wallet's name in the name of a file.
  private static let longestName = 80

  /// A wallet's name as a part of a file's.
  ///
  /// Letters and digits of any script stay, everything else becomes a hyphen. So no name leaves the folder, hides
  /// the file, or means something to a shell.
  package static func safe(_ name: String) -> String {
    var text = ""
    for scalar in name.unicodeScalars {
      let isKept = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
      if !isKept, text.isEmpty || text.hasSuffix("-") { continue }
      let next = isKept ? String(scalar) : "-"
      guard text.utf8.count + next.utf8.count <= longestName else { break }
      text += next
    }
    if text.hasSuffix("-") { text.removeLast() }
    return text.isEmpty ? "wallet" : text
  }

  package static func < (one: RestoredFile, other: RestoredFile) -> Bool {
    (one.wallet.name ?? "", one.name) < (other.wallet.name ?? "", other.name)
  }

  package static func == (one: RestoredFile, other: RestoredFile) -> Bool { one.name == other.name }

  /// The file in the result's JSON.
  package var json: JSONOutput {
    var json: JSONOutput = [
      "record_id": .string(wallet.recordID.hex), "file": .string(name),
      "name": .optional(wallet.name), "kind": .string(wallet.kindWord),
      "watch_only": .bool(wallet.spending == .watchOnly), "state": .string(wallet.state),
    ]
    if wallet.isFileDamaged { json["file_damaged"] = true }
    if ownName != nil { json["renamed"] = true }
    return json
  }

  /// Which file is which.
  fileprivate static func table(_ files: [RestoredFile]) -> Table {
    Table(
      columns: [
        Table.Column("NAME", least: 20), Table.Column("NETWORK", rank: 1), Table.Column("KIND"),
        Table.Column("FINGERPRINT", rank: 2), Table.Column("FILE"),
      ],
      rows: files.map { file in
        var cells = file.wallet.fields.prefix(4).map(\.text) + [file.name]
        cells[0] = PrintableText.name(file.wallet.name ?? "-", limit: 40)
        return cells
      })
  }
}

/// The files that a run of `restore --out` wrote.
struct RestoredFiles: Sendable {
  /// Whether every file is kept, or as many as a person is shown: a backup may
  /// hold a million wallets.
  let keepsAll: Bool
  /// The options that open the backup as it was opened, each after a space.
  private let wayIn: String
  private var files: [RestoredFile] = []
  private var count = 0
  private var kinds: Set<String> = []

  /// The file that says which is which.
  static let explanationName = "README.txt"

  /// Files that a person is shown one by one.
  private static let mostShown = 50

  /// - Parameters:
  ///   - keepsAll: whether every file is shown.
  ///   - wayIn: the options that open the backup as it was opened now, each after a space.
  init(keepsAll: Bool, wayIn: String) {
    self.keepsAll = keepsAll
    self.wayIn = wayIn
  }

  var isEmpty: Bool { count == 0 }

  mutating func note(_ file: RestoredFile) {
    count += 1
    kinds.insert(
      file.wallet.spending == .watchOnly ? WalletUse.watchOnly.rawValue : file.wallet.kindWord)
    if keepsAll || files.count < Self.mostShown { files.append(file) }
  }

  /// Takes out a file that was not written after all.
  ///
  /// - Returns: the file, where it was kept.
  mutating func remove(_ name: String) -> RestoredFile? {
    count = max(0, count - 1)
    return files.firstIndex { $0.name == name }.map { files.remove(at: $0) }
  }

  /// The files as a part of the result's JSON.
  var json: JSONOutput { .array(files.sorted().map(\.json)) }

  /// The files that have not their own name, as that and the name that they have.
  var renamed: [(name: String, path: String)] {
    files.compactMap { file in file.ownName.map { ($0, file.name) } }
  }

  /// Which file is which.
  var table: Table { RestoredFile.table(files.sorted()) }

  /// Advice about the files: how to read them, and how to use each kind.
  var lines: [String] {
    var lines: [String] = []
    if files.count < count {
      lines.append("... and \(counted(count - files.count, "more file")). Add -v to list them all.")
    }
    lines.append(
      "Each file is one wallet as JSON, for programs to read. To read the words of a wallet: "
        + "keybackup wallet show NAME --reveal" + wayIn)
    return lines + uses
  }

  /// Columns of the explanation's table.
  private static let explanationWidth = 80

  /// The whole file ``explanationName``; holds no secret.
  ///
  /// - Parameter withFiles: whether files of other programs lie beside the wallets.
  /// - Returns: the text.
  func explanation(withFiles: Bool) -> String {
    let lines =
      [
        "Wallets that keybackup restored.", "",
        "The .json files in this folder contain unencrypted wallet secrets.",
        "Move them to where you need them, then delete them.",
        "Each file is one wallet as JSON. What a wallet program asks for is under \"secret\".",
      ]
      + (withFiles
        ? ["The folders hold the files of other programs, one folder for each computer."] : [])
      + [""] + table.lines(width: Self.explanationWidth) + [""] + uses
    return lines.map { PrintableText.cleanLines($0) + "\n" }.joined()
  }

  /// How to use what is there, one line for each kind.
  private var uses: [String] {
    WalletUse.allCases.filter { kinds.contains($0.rawValue) }
      .map { "\($0.rawValue): \($0.words)" }
  }
}

/// How to use a restored wallet of a kind, by the kind's word; docs/wallets.md
/// says the same.
enum WalletUse: String, CaseIterable {
  case mnemonic
  case xprv
  case descriptor
  case watchOnly = "watch-only"
  case tapsigner

  /// Advice about the file.
  var words: String {
    switch self {
    case .mnemonic:
      "in a wallet program choose to restore from recovery words (BIP-39), and type the words "
        + "under \"secret\". A passphrase is not in the backup: you need it too if you set one."
    case .xprv:
      "in a wallet program choose to import a master private key (BIP-32), and paste the xprv "
        + "under \"secret\". For Bitcoin Core: keybackup wallet export --format descriptors --private"
    case .descriptor:
      "in a wallet program choose to import a descriptor, and paste the one under \"secret\". For "
        + "Bitcoin Core: keybackup wallet export --format descriptors --private"
    case .watchOnly:
      "it shows balances and addresses and cannot spend: the key is elsewhere. Import the \"xpub\" "
        + "or the descriptors as a watch-only wallet."
    case .tapsigner:
      "in a wallet program that knows TAPSIGNER choose to import the card's backup, and type the "
        + "backup key that is printed on the card."
    }
  }
}
