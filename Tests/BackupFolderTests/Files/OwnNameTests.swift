import TestSupport
import Testing

@testable import BackupFolder
@testable import CSPP

/// Which names of files and folders can be ours.
@Suite struct OwnNameTests {
  private static let digits = String(repeating: "0a", count: 16)
  private static let writer = String(repeating: "1b", count: 16)
  private static let operation = "00000012-\(digits).json"
  private static let wallet = "wallet-\(digits)\(digits).json"
  private static let key = "\(digits).json"
  private static let object = "\(digits)\(digits).bin"

  /// The names that operating systems, file servers and editors make of our own name.
  private static func junk(beside name: String) -> [String] {
    [
      "._\(name)", "~$\(name)", ".~lock.\(name)#", ".\(name).swp", "#\(name)#", ".#\(name)",
      "\(name)@SynoEAStream", "\(name):Zone.Identifier", "\(name).lnk", "\(name).bak.gpg",
      ".fuse_hidden0000001200000001", ".nfs000000000123456700000001", "desktop.ini", "@eaDir",
      "notes.json", "x\(name)", "",
    ]
  }

  private func isOperation(_ file: String, of folder: String = writer) -> Bool {
    LogFile.other(folder: folder, file: file).copied?.counter == 12
  }

  private func isWallet(_ file: String) -> Bool {
    ViewFile(isOlderPlace: false, .other(file)).copied != nil
  }

  @Test(arguments: ConflictNames.allCases, [1, 3])
  func `A conflict copy of our file can be ours`(_ names: ConflictNames, number: Int) {
    #expect(isOperation(names.copy(of: Self.operation, number: number)))
    #expect(isWallet(names.copy(of: Self.wallet, number: number)))
    #expect(KeyID(claimedBy: names.copy(of: Self.key, number: number))?.hex == Self.digits)
    #expect(Digest(claimedBy: names.copy(of: Self.object, number: number)) != nil)
    for name in [Self.operation, Self.wallet, Self.key, Self.object] {
      #expect(OwnName.canBeOurs(names.copy(of: name, number: number)))
    }
  }

  @Test func `So can a placeholder, a copy with words before it, and a copy of the folder`() {
    for name in [Self.operation, Self.wallet] {
      for file in [".\(name).icloud", "\(name).part", ".syncthing.\(name).tmp", "Copy of \(name)"] {
        #expect(isOperation(file) || isWallet(file), "\(file)")
        #expect(OwnName.canBeOurs(file), "\(file)")
      }
    }
    #expect(isOperation(Self.operation, of: "\(Self.writer) (1)"))
    #expect(isOperation(Self.operation, of: "\(Self.writer)-again"))
  }

  @Test func `What other programs make cannot`() {
    for name in Self.junk(beside: Self.operation) { #expect(!isOperation(name), "\(name)") }
    for name in Self.junk(beside: Self.wallet) { #expect(!isWallet(name), "\(name)") }
    for name in Self.junk(beside: Self.key) { #expect(KeyID(claimedBy: name) == nil, "\(name)") }
    for name in Self.junk(beside: Self.object) {
      #expect(Digest(claimedBy: name) == nil, "\(name)")
    }
    #expect(!isOperation(Self.operation, of: "@eaDir"))
    for name in ["@eaDir", ".DS_Store", "._\(Self.wallet)", "~$\(Self.key)", "wallets", "a-b-c"] {
      #expect(!OwnName.canBeOurs(name), "\(name)")
    }
  }
}
