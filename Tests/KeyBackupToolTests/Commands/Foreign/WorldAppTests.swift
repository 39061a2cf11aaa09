import Foundation
import Testing

/// `keybackup foreign world` on archives that Python made.
@Suite struct WorldAppTests {
  static let vectors =
    (try? JSON(Files.read(Build.root + "/Tests/Vectors/foreign/world.json"))) ?? .null
  static let sealed = Build.root + "/Tests/Vectors/foreign/world_backup_v0.sealed.bin"
  static let rpID = "keys.world.app"
  static let secretKey = vectors["factor"]["backup_secret_key"].text ?? ""
  static let factor = vectors["factor"]["factor_secret_prf"].text ?? ""
  static let keypair = vectors["factor"]["encrypted_backup_keypair_hex"].text ?? ""
  static let account = vectors["account"][1]["backup_account_id"].text ?? ""
  static let manifest = vectors["manifest"][1]["hash"].text ?? ""
  static let root = vectors["vault_v0"]["root_secret_json"].text ?? ""

  let box: Sandbox
  var out: String { box.root + "/out" }
  var metadata: String { box.root + "/metadata.json" }
  var factorFile: String { box.root + "/factor" }

  init() throws {
    box = try Sandbox()
    try Files.write(Self.factor + "\n", to: factorFile, mode: 0o600)
  }

  /// Options that open the archive of the vectors.
  var opening: [String] {
    ["--encrypted-keypair", Self.keypair, "--factor-secret", factorFile]
  }

  func writeMetadata(
    keys: [String] = [keypair], id: String? = account, hash: String = manifest
  ) throws {
    let list = keys.map { #"{"kind":"PRF","encryptedKey":"\#($0)"}"# }.joined(separator: ",")
    let name = id.map { #""id":"\#($0)","# } ?? ""
    try Files.write(
      #"{\#(name)"factors":[],"syncFactors":[],"keys":[\#(list)],"manifestHash":"\#(hash)"}"#,
      to: metadata)
  }

  func world(
    _ arguments: [String], key: [String]? = nil, pin: Sandbox.PINGiven = .none,
    input: [UInt8] = [], expecting: Int32? = 0
  ) async throws -> Outcome {
    try await box.keybackup(
      ["foreign", "world"] + arguments, key: key, pin: pin, input: input, expecting: expecting)
  }

  /// Runs Tests/interop/world.py.
  func python(_ arguments: [String], input: [UInt8] = []) async throws -> [UInt8] {
    let outcome = try await box.run(
      Python.script("interop/world.py") + arguments, key: nil, input: input)
    #expect(outcome.code == 0, "\(outcome.err)")
    return outcome.output
  }

  /// An archive that Python makes.
  ///
  /// - Returns: its path.
  func made(_ files: [(path: String, data: [UInt8])], wrong: String = "") async throws
    -> String
  {
    let list = files.map {
      #"{"path":"\#($0.path)","designator":"orb_pkg","data":"\#(hex($0.data))"}"#
    }
    let quoted = Self.root.replacing("\"", with: "\\\"")
    let spec =
      #"{"root_secret":"\#(quoted)","secret_key":"\#(Self.secretKey)","#
      + #""files":[\#(list.joined(separator: ","))]\#(wrong)}"#
    let path = box.root + "/made.bin"
    try Files.write(await python(["make"], input: Array(spec.utf8)), to: path)
    return path
  }

  func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  // MARK: Opening

  @Test func `The archive of the vectors is written into a folder`() async throws {
    let opened = try await world(["open", Self.sealed] + opening + ["--out", out])
    #expect(opened.out.contains("Account: \(Self.account)\n"))
    #expect(opened.out.contains("Manifest hash: \(Self.manifest)\n"))
    #expect(opened.out.hasSuffix("Wrote 3 files to \(out).\n"), "\(opened.out)")
    let file = out + "/personal_custody/file1.txt"
    #expect(try Files.read(file) == Array("Hello, World!".utf8))
    #expect(try Files.read(out + "/document_personal_custody/file2.txt").isEmpty)
    #expect(try Files.read(out + "/root_secret.json") == Array(Self.root.utf8))
    #expect(try mode(file) == 0o600)
    #expect(try mode(out + "/root_secret.json") == 0o600)
    #expect(try mode(out + "/personal_custody") == 0o700)
    // The same again: everything is there.
    let again = try await world(["open", Self.sealed] + opening + ["--out", out, "--json"]).json()
    #expect(again["written"].number == 0 && again["there"].number == 3)
    #expect(again["account_id"].text == Self.account)
    #expect(again["manifest_hash"].text == Self.manifest)
    #expect(again["current"] == .null)
    #expect(again["files"][0]["path"].text == "personal_custody/file1.txt")
    #expect(again["files"][0]["designator"].text == "orb_pkg")
    #expect(again["files"][0]["size"].number == 13)
    #expect(
      again["files"][0]["checksum"].text
        == Self.vectors["manifest"][1]["files"][0]["checksum_hex"]
        .text)
  }

  @Test func `Nothing is overwritten, and no link is followed`() async throws {
    try Files.makeFolder(out)
    try Files.makeFolder(out + "/personal_custody")
    try Files.write("mine", to: out + "/personal_custody/file1.txt")
    let elsewhere = box.root + "/elsewhere"
    try Files.makeFolder(elsewhere)
    try FileManager.default.createSymbolicLink(
      atPath: out + "/document_personal_custody", withDestinationPath: elsewhere)
    let opened = try await world(
      ["open", Self.sealed] + opening + ["--out", out], expecting: nil)
    expectFailure(opened, 73, says: "2 files", "nothing was overwritten")
    #expect(try Files.read(out + "/personal_custody/file1.txt") == Array("mine".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere).isEmpty)
    #expect(try Files.read(out + "/root_secret.json") == Array(Self.root.utf8))
  }

  @Test func `What is in the way is named, the root secret first`() async throws {
    try Files.makeFolder(out)
    try Files.makeFolder(out + "/personal_custody")
    for name in ["/personal_custody/file1.txt", "/root_secret.json"] {
      try Files.write("mine", to: out + name)
    }
    let opened = try await world(["open", Self.sealed] + opening + ["--out", out], expecting: nil)
    expectFailure(
      opened, 73, says: "2 files of the archive",
      "has the name: root_secret.json, personal_custody/file1.txt")
  }

  /// libarchive turns names into the locale's letters unless it is told not to.
  @Test(arguments: ["C", "C.UTF-8", "POSIX", "none_XX.ISO-8859-1"])
  func `Names are the same in every locale`(_ locale: String) async throws {
    let path = "Ünï/日本語/e\u{301} 😀"
    let archive = try await made([(path, [1, 2, 3])])
    let opened = try await box.keybackup(
      ["foreign", "world", "open", archive, "--out", out, "--json"] + opening, key: nil, pin: .none,
      environment: ["LC_ALL": locale, "LANG": locale]
    ).json()
    #expect(opened["files"][0]["path"].text.map { Array($0.utf8) } == Array(path.utf8))
    #expect(try Files.read("\(out)/\(path)") == [1, 2, 3])
  }

  @Test func `verify reads all and writes nothing`() async throws {
    let before = try FileManager.default.subpathsOfDirectory(atPath: box.root).sorted()
    let verified = try await world(["verify", Self.sealed] + opening)
    #expect(verified.out.hasSuffix("The archive is whole. Nothing proves who made it.\n"))
    #expect(try FileManager.default.subpathsOfDirectory(atPath: box.root).sorted() == before)
    let json = try await world(
      ["verify", "-", "--json"] + opening, input: Files.read(Self.sealed)
    ).json()
    #expect(json["files"].items.count == 2)
    #expect(!verified.text.contains(String(repeating: "1", count: 40)))
  }

  @Test func `Files of other sizes and names come out as they went in`() async throws {
    let contents = [0, 1, 24, 255, 256, 70_000].map { size in
      (0..<size).map { UInt8(truncatingIfNeeded: $0 * 31 + size) }
    }
    let long = Array(repeating: "a-folder-of-some-length", count: 8).joined(separator: "/")
    let archive = try await made(
      contents.map { ("\(long)/é \($0.count)", $0) })
    _ = try await world(["open", archive] + opening + ["--out", out])
    for data in contents { #expect(try Files.read("\(out)/\(long)/é \(data.count)") == data) }
    let theirs = try JSON(await python(["read", Self.secretKey], input: Files.read(archive)))
    let ours = try await world(["verify", archive, "--json"] + opening).json()
    #expect(ours["manifest_hash"] == theirs["manifest_hash"])
    #expect(ours["account_id"] == theirs["account_id"])
  }

  @Test func `Everything goes straight into the backup`() async throws {
    try await box.keybackup(["init"])
    let open = ["foreign", "world", "open", Self.sealed, "--add", "--json"] + opening
    let added = try await box.keybackup(open).json()
    #expect(added["added"]["files"].items.map { $0["changed"].flag } == [true, true, true])
    let again = try await box.keybackup(open).json()
    #expect(again["added"]["files"].items.map { $0["changed"].flag } == [false, false, false])
    let end = Self.account.suffix(8)
    let listed = try await box.keybackup(["file", "list", "--json"]).json()
    #expect(
      Set(listed["files"].items.compactMap { $0["name"].text }) == [
        "world-app-\(end)-root_secret.json",
        "world-app-\(end)-personal_custody-file1.txt",
        "world-app-\(end)-document_personal_custody-file2.txt",
      ])
    try await box.keybackup(["restore", "--out", out])
    let found = try FileManager.default.subpathsOfDirectory(atPath: out)
    let root = try #require(found.first { $0.hasSuffix("root_secret.json") })
    #expect(try Files.read(out + "/" + root) == Array(Self.root.utf8))
    // Without the key nothing is added, and what was written is named.
    let failed = try await world(
      ["open", Self.sealed, "--add", "--out", out + "-plain"] + opening, expecting: nil)
    expectFailure(failed, 69, says: "the files were written to \(out)-plain all the same")
    #expect(Files.exists(out + "-plain/root_secret.json"))
    let nowhere = try await world(["open", Self.sealed] + opening, expecting: nil)
    expectFailure(nowhere, 64, says: "--out FOLDER, --add, or both")
  }

  // MARK: Metadata

  @Test func `Metadata gives the keypair and says whether the archive is current`() async throws {
    let other = String(
      decoding: try await python(["seal", Self.secretKey, Self.secretKey]), as: UTF8.self
    )
    .trimmingCharacters(in: .newlines)
    try writeMetadata(keys: [other, Self.keypair])
    let options = ["--metadata", metadata, "--factor-secret", factorFile, "--json"]
    #expect(try await world(["verify", Self.sealed] + options).json()["current"].flag == true)
    try writeMetadata(hash: String(repeating: "00", count: 32))
    let old = try await world(["verify", Self.sealed] + options, expecting: 89)
    #expect(try old.json()["current"].flag == false)
    #expect(old.err.contains("one of the two is older") && old.err.contains("hint: "), "\(old.err)")
    let opened = try await world(["open", Self.sealed] + options + ["--out", out], expecting: 89)
    #expect(try opened.json()["written"].number == 3)
    // Somebody made an archive with a root secret of their own.
    try writeMetadata(id: "backup_account_02" + String(repeating: "00", count: 32))
    let foreign = try await world(
      ["verify", Self.sealed] + options.dropLast(), expecting: nil)
    expectFailure(foreign, 65, says: "the metadata does not name", "do not trust it")
    try writeMetadata(id: nil)
    _ = try await world(["verify", Self.sealed] + options)
  }

  @Test func `The account that is wanted is compared`() async throws {
    _ = try await world(["verify", Self.sealed, "--account-id", Self.account] + opening)
    let other = Self.vectors["account"][0]["backup_account_id"].text ?? ""
    let refused = try await world(
      ["open", Self.sealed, "--out", out, "--account-id", other] + opening, expecting: nil)
    expectFailure(refused, 65, says: Self.account, "--account-id does not name")
    #expect(!FileManager.default.fileExists(atPath: out))
  }

  // MARK: The security key

  @Test func `The security key that holds the passkey opens it, in one touch`() async throws {
    let prf = Self.vectors["prf"]
    let secret = try #require(prf["cred_random"].text)
    let key = ["--set", "credential=\(Self.rpID)/\(secret)"]
    let output = try #require(prf["prf_output"].text)
    let sealed = String(
      decoding: try await python(["seal", Self.secretKey, output]), as: UTF8.self)
    try writeMetadata(keys: [Self.keypair, sealed.trimmingCharacters(in: .newlines)])
    let options = ["--metadata", metadata, "--security-key"]
    let trace = try await box.traced {
      _ = try await world(
        ["open", Self.sealed, "--out", out] + options, key: key, pin: .file)
    }
    #expect(TrafficTests.Cost(trace).touches == 1)
    #expect(try Files.read(out + "/root_secret.json") == Array(Self.root.utf8))
    // A keypair of another factor.
    try writeMetadata()
    let refused = try await world(
      ["verify", Self.sealed] + options, key: key, pin: .file, expecting: nil)
    expectFailure(refused, 80, says: "the security key's answer does not open", "--legacy-salt")
    // One that a second salt opens, as some Android phones had it.
    let legacy = try await box.keybackup(
      ["derive", "--rp-id", Self.rpID, "--salt", "another salt"], key: key
    ).out.trimmingCharacters(in: .newlines)
    let old = String(decoding: try await python(["seal", Self.secretKey, legacy]), as: UTF8.self)
    try writeMetadata(keys: [old.trimmingCharacters(in: .newlines)])
    let both = try await box.traced {
      _ = try await world(
        ["verify", Self.sealed, "--legacy-salt", "another salt"] + options, key: key, pin: .file)
    }
    #expect(TrafficTests.Cost(both).touches == 1)
    let without = try await world(
      ["verify", Self.sealed] + options, pin: .file, expecting: nil)
    expectFailure(without, 69, says: "security key")
    let another = try await world(
      ["verify", Self.sealed] + options, key: ["--state", box.root + "/another.json"], pin: .file,
      expecting: nil)
    expectFailure(another, 80, says: "holds no passkey for \"\(Self.rpID)\"")
  }

  // MARK: Places

  @Test func `What is there already is counted apart, and who can read it is looked at`()
    async throws
  {
    _ = try await world(["open", Self.sealed] + opening + ["--out", out])
    try Files.setMode(out + "/root_secret.json", 0o644)
    try Files.remove(out + "/personal_custody/file1.txt")
    let again = try await world(["open", Self.sealed] + opening + ["--out", out])
    #expect(again.out.hasSuffix("Wrote 1 file to \(out). 2 files were there.\n"), "\(again.out)")
    #expect(again.err.contains("others can read \(out)/root_secret.json"), "\(again.err)")
  }

  @Test func `Secrets that others can read, or that are carried elsewhere, are refused`()
    async throws
  {
    let backup = try await PreparedBackup()
    let inside = backup.box.folder + "/factor"
    try Files.write(Self.factor, to: inside, mode: 0o600)
    let root = box.root + "/root_secret.json"
    try Files.write(Self.root, to: root, mode: 0o640)
    let folder = ["--folder", backup.box.folder]
    for verb in ["verify", "id"] {
      let arguments = ["--encrypted-keypair", Self.keypair, "--factor-secret", inside]
      expectFailure(
        try await world([verb, Self.sealed] + arguments + folder, expecting: nil), 78,
        says: "\(inside) is in a synced folder")
    }
    _ = try await world(
      ["id", Self.sealed, "--encrypted-keypair", Self.keypair, "--factor-secret", inside]
        + folder + ["--allow-synced-folder"])
    expectFailure(
      try await world(["id", "--root-secret", root], expecting: nil), 78,
      says: "others can read the root secret file")
    try Files.setMode(root, 0o600)
    _ = try await world(["id", "--root-secret", root])
    try Files.copy(root, to: backup.box.folder + "/root")
    expectFailure(
      try await world(
        ["id", "--root-secret", backup.box.folder + "/root"] + folder, expecting: nil),
      78, says: "is in a synced folder")
  }

  @Test func `A library that is missing is named, with its package`() async throws {
    let places = ["x86_64", "aarch64"].flatMap { machine in
      ["/lib", "/usr/lib"].flatMap { folder in
        ["", "/\(machine)-linux-gnu"].map { "\(folder)\($0)/libarchive.so.13" }
      }
    }
    let hidden = Tracing.wrapper(
      places.flatMap { ["-P", $0] } + ["-e", "trace=openat", "-e", "inject=openat:error=ENOENT"])
    let refused = try await box.keybackup(
      ["foreign", "world", "verify", Self.sealed, "--json"] + opening, key: nil, pin: .none,
      wrapper: hidden, expecting: nil)
    try expectFailure(refused, 69, word: "library-missing")
    #expect(refused.out.contains("sudo apt install libarchive-dev"), "\(refused.out)")
  }

  @Test func `What lies there unencrypted after a failure is named`() async throws {
    let failing = Tracing.wrapper([
      "-P", out, "-e", "trace=linkat,renameat2,rename,renameat", "-e",
      "inject=linkat,renameat2,rename,renameat:error=ENOSPC",
    ])
    let failed = try await box.keybackup(
      ["foreign", "world", "open", Self.sealed, "--out", out, "--json"] + opening, key: nil,
      pin: .none, wrapper: failing, expecting: nil)
    try expectFailure(failed, 74, word: "io")
    #expect(failed.out.contains("2 files were written to"), "\(failed.out)")
    #expect(Files.tree(out).count == 2)
  }
}
