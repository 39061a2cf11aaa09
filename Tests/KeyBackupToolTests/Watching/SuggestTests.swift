import Testing

@testable import CommandKit

/// `keybackup file suggest`: what is on this computer, and how it may be copied.
@Suite struct SuggestTests {
  private func made(_ files: [String: String], in box: Sandbox) throws {
    for (name, text) in files {
      let path = box.home + "/" + name
      try Files.makeFolder(path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 })
      try Files.write(text, to: path)
    }
  }

  @Test func `Every program of the catalogue is found`() async throws {
    let box = try Sandbox()
    let files = [
      ".bitcoin/wallets/savings/wallet.dat": "SQLite format 3\0", ".bitcoin/wallet.dat": "x",
      ".electrum/wallets/default_wallet": #"{"channels": {}}"#,
      ".sparrow/wallets/shop.mv.db": "H:2,", ".specter/wallets/main/multi.json": "{}",
      ".specter/devices/blue.json": "{}", ".lnd/data/chain/bitcoin/mainnet/channel.backup": "x",
      ".lnd/data/graph/mainnet/channel.db": "x", ".lightning/bitcoin/emergency.recover": "x",
      ".lightning/bitcoin/hsm_secret": "x", ".lightning/bitcoin/lightningd.sqlite3": "x",
      ".walletwasabi/client/Wallets/Main.json": "{}", ".gnupg/private-keys-v1.d/AB.key": "x",
      ".gnupg/openpgp-revocs.d/CD.rev": "x", ".ssh/id_ed25519": "x", ".password-store/a.gpg": "x",
      "passwords.kdbx": "x", "Documents/work.kdbx": "x", "Downloads/aegis-export-1.json": "{}",
    ]
    try made(files, in: box)
    // These are none.
    try made(
      [
        ".ssh/id_ed25519.pub": "x", ".ssh/known_hosts": "x", ".electrum/config": "{}",
        "Downloads/other.json": "{}", ".bitcoin/wallets/savings/db.log": "x",
      ], in: box)
    let run = try await box.keybackup(["file", "suggest", "--json"], key: nil, pin: .none)
    let found = try run.json()["files"].items
    let paths = found.compactMap { $0["path"].text?.dropFirst(box.home.count + 1) }.map(String.init)
    let expected = files.keys.map { $0 == ".password-store/a.gpg" ? ".password-store" : $0 }
    #expect(Set(paths) == Set(expected) && paths.count == expected.count)
    let never = found.filter { $0["restores"].text == "never" }
    #expect(
      Set(never.compactMap { $0["path"].text?.split(separator: "/").last })
        == ["channel.db", "lightningd.sqlite3"])
    #expect(found.allSatisfy { $0["source"].text?.hasPrefix("https://") == true })
    #expect(Set(found.compactMap { $0["program"].text }) == Set(CatalogueEntry.all.map(\.program)))
  }

  @Test func `A wallet with Lightning channels is not to be backed up`() async throws {
    let box = try Sandbox()
    try made([".electrum/wallets/ln": #"{"channels": {"a": {"state": "OPEN"}}}"#], in: box)
    let run = try await box.keybackup(["file", "suggest"], key: nil, pin: .none)
    #expect(run.out.contains("Do not back it up: this Electrum wallet has Lightning channels"))
    #expect(run.out.contains("Instead: use File > Save backup"), "\(run.out)")
    #expect(!run.err.contains("file add"), "\(run.err)")
  }

  @Test func `All lists what is not here`() async throws {
    let box = try Sandbox()
    let none = try await box.keybackup(["file", "suggest"], key: nil, pin: .none)
    #expect(none.out.isEmpty && none.err.contains("--all"), "\(none.text)")
    let all = try await box.keybackup(["file", "suggest", "--all", "-v"], key: nil, pin: .none)
    for entry in CatalogueEntry.all {
      #expect(all.out.contains("\(box.home)/\(entry.place) (not here)"), "\(entry.place)")
      #expect(all.out.contains("See \(entry.source)"))
    }
  }

  /// Nothing is suggested that `file add` refuses by its name, and the other way round.
  @Test(arguments: CatalogueEntry.all.map(\.place))
  func `The catalogue and the refusals agree`(_ place: String) throws {
    let entry = try #require(CatalogueEntry.all.first { $0.place == place })
    let isRefused = CopyCheck.advice(name: place)?.weight == .never
    #expect(isRefused == (entry.restores == .never) && isRefused == (entry.live == .never))
  }

  @Test func `The issue's programs are all there`() {
    let programs: Set = [
      "Bitcoin Core", "Electrum", "Sparrow", "Specter", "LND", "Core Lightning", "Wasabi", "GnuPG",
      "SSH", "pass", "KeePassXC", "Aegis",
    ]
    #expect(Set(CatalogueEntry.all.map(\.program)) == programs)
  }
}
