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

  private let box: Sandbox
  private var out: String { box.root + "/out" }
  private var metadata: String { box.root + "/metadata.json" }
  private var factorFile: String { box.root + "/factor" }

  init() throws {
    box = try Sandbox()
    try Files.write(Self.factor + "\n", to: factorFile, mode: 0o600)
  }

  /// Options that open the archive of the vectors.
  private var opening: [String] {
    ["--encrypted-keypair", Self.keypair, "--factor-secret", factorFile]
  }

  private func writeMetadata(
    keys: [String] = [keypair], id: String? = account, hash: String = manifest
  ) throws {
    let list = keys.map { #"{"kind":"PRF","encryptedKey":"\#($0)"}"# }.joined(separator: ",")
    let name = id.map { #""id":"\#($0)","# } ?? ""
    try Files.write(
      #"{\#(name)"factors":[],"syncFactors":[],"keys":[\#(list)],"manifestHash":"\#(hash)"}"#,
      to: metadata)
  }

  private func world(
    _ arguments: [String], key: [String]? = nil, pin: Sandbox.PINGiven = .none,
    input: [UInt8] = [], expecting: Int32? = 0
  ) async throws -> Outcome {
    try await box.keybackup(
      ["foreign", "world"] + arguments, key: key, pin: pin, input: input, expecting: expecting)
  }

  /// Runs Tests/interop/world.py.
  private func python(_ arguments: [String], input: [UInt8] = []) async throws -> [UInt8] {
    let outcome = try await box.run(
      Python.script("interop/world.py") + arguments, key: nil, input: input)
    #expect(outcome.code == 0, "\(outcome.err)")
    return outcome.output
  }

  /// An archive that Python makes.
  ///
  /// - Returns: its path.
  private func made(_ files: [(path: String, data: [UInt8])], wrong: String = "") async throws
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

  private func mode(_ path: String) throws -> Int? {
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
    #expect(old.err.contains("one of the two is older"))
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
    expectFailure(another, 80, says: "holds no passkey for \(Self.rpID)")
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

  // MARK: What is refused

  @Test func `A wrong factor, keypair or file is named`() async throws {
    let wrong = box.root + "/wrong"
    try Files.write(String(repeating: "07", count: 32), to: wrong, mode: 0o600)
    expectFailure(
      try await world(
        ["verify", Self.sealed, "--encrypted-keypair", Self.keypair, "--factor-secret", wrong],
        expecting: nil), 80, says: "the factor secret does not open the encrypted keypair")
    try Files.write("no digits", to: wrong, mode: 0o600)
    expectFailure(
      try await world(
        ["verify", Self.sealed, "--encrypted-keypair", Self.keypair, "--factor-secret", wrong],
        expecting: nil), 65, says: "the factor secret has to be 64 hex digits")
    try Files.setMode(factorFile, 0o644)
    expectFailure(
      try await world(["verify", Self.sealed] + opening, expecting: nil), 78,
      says: "others can read the factor secret file")
    try Files.setMode(factorFile, 0o600)
    expectFailure(
      try await world(
        ["verify", Self.sealed, "--encrypted-keypair", wrong, "--factor-secret", factorFile],
        expecting: nil), 65, says: "has no encrypted keypair")
    for digits in [String(Self.keypair.dropLast(2)), Self.keypair + "00"] {
      expectFailure(
        try await world(
          ["verify", Self.sealed, "--encrypted-keypair", digits, "--factor-secret", factorFile],
          expecting: nil), 65, says: "an encrypted keypair is 160 hex digits")
    }
    expectFailure(
      try await world(
        ["verify", Self.sealed, "--metadata", wrong, "--factor-secret", factorFile],
        expecting: nil), 65, says: "the metadata")
    expectFailure(
      try await world(["verify", box.root + "/none"] + opening, expecting: nil), 66,
      says: "could not be opened")
    expectFailure(
      try await world(
        ["verify", Self.sealed, "--encrypted-keypair", Self.keypair, "--no-input"],
        expecting: nil), 78, says: "the factor secret is needed and nobody can be asked")
    for arguments in [
      [], ["--encrypted-keypair", Self.keypair, "--metadata", metadata],
      opening + ["--security-key"], opening + ["--credential", "00"],
      opening + ["--account-id", "me"], ["--encrypted-keypair", "-", "--factor-secret", "-"],
    ] {
      #expect(try await world(["verify", Self.sealed] + arguments, expecting: nil).code == 64)
    }
  }

  @Test func `A file that was changed, cut or grown is refused, and nothing is written`()
    async throws
  {
    let whole = try Files.read(Self.sealed)
    var changed = whole
    changed[300] ^= 1
    for bytes in [changed, Array(whole.dropLast()), whole + [0], []] {
      let path = box.root + "/changed.bin"
      try Files.write(bytes, to: path)
      let refused = try await world(
        ["open", path, "--out", out] + opening, expecting: nil)
      expectFailure(refused, 65, says: "the seal of")
      #expect(!FileManager.default.fileExists(atPath: out))
    }
  }

  @Test(arguments: [
    (#","names":{"a":"../a"}"#, "names another path inside"),
    (#","names":{"a":"b"}"#, "names another path inside"),
    (#","types":{"a":"2"}"#, "a link or a folder"),
    (#","types":{"a":"1"}"#, "a link or a folder"),
    (#","types":{"a":"5"}"#, "a link or a folder"),
    (
      #","checksums":{"a":"\#(String(repeating: "00", count: 32))"}"#,
      "the contents of a, by their checksum"
    ),
    (#","version":1"#, "by its version"),
    (#","bomb":134217728"#, "over the limit of 134217728"),
  ])
  func `What Python makes wrong is refused by its name`(_ wrong: String, _ says: String)
    async throws
  {
    let archive = try await made([("a", [1, 2, 3])], wrong: wrong)
    let refused = try await world(["open", archive, "--out", out] + opening, expecting: nil)
    expectFailure(refused, 65, says: says)
    #expect(!FileManager.default.fileExists(atPath: out))
  }

  @Test(arguments: ["../a", "/tmp/a", "a/../../b", "./a"])
  func `A path that leaves the folder is refused`(_ path: String) async throws {
    let archive = try await made([(path, [1])])
    let refused = try await world(["open", archive, "--out", out] + opening, expecting: nil)
    expectFailure(refused, 65, says: "which no file may have")
    #expect(!FileManager.default.fileExists(atPath: out))
  }

  @Test func `Errors are JSON where that is wanted`() async throws {
    let archive = try await made([("A", [1]), ("a", [1])])
    let refused = try await world(
      ["open", archive, "--out", out, "--json"] + opening, expecting: nil)
    try expectFailure(refused, 65, word: "data-invalid")
  }

  // MARK: The account

  @Test func `The ID is that of the vectors, from a file and from an archive`() async throws {
    for account in Self.vectors["account"].items {
      let text = try #require(account["root_secret_json"].text)
      let id = try await world(["id", "--root-secret", "-"], input: Array(text.utf8))
      #expect(id.out == account["backup_account_id"].text.map { $0 + "\n" })
      #expect(
        id.out
          == String(decoding: try await python(["account"], input: Array(text.utf8)), as: UTF8.self)
      )
    }
    let json = try await world(["id", Self.sealed, "--json"] + opening).json()
    #expect(json["account_id"].text == Self.account)
    #expect(try await world(["id"], expecting: nil).code == 64)
    #expect(
      try await world(["id", "--root-secret", factorFile] + opening, expecting: nil).code == 64)
    expectFailure(
      try await world(["id", "--root-secret", factorFile], expecting: nil), 65,
      says: "the root secret")
  }

  @Test func `The proof is that of the vectors, and Python verifies it`() async throws {
    for account in Self.vectors["account"].items {
      let text = Array(try #require(account["root_secret_json"].text).utf8)
      let digits = try #require(account["reset_challenge_hex"].text)
      let arguments = ["reset-proof", "--root-secret", "-", "--challenge"]
      let proof = try await world(arguments + ["hex:" + digits], input: text)
      #expect(proof.out == account["reset_signature_b64_der"].text.map { $0 + "\n" })
      #expect(proof.err.contains("deletes the backup"))
      let random = (0..<32).map { _ in UInt8.random(in: 0...255) }
      let challenge = "base64:" + Data(random).base64EncodedString()
      let other = try await world(arguments + [challenge, "--json"], input: text).json()
      let id = try #require(other["account_id"].text)
      let signature = try #require(other["signature"].text)
      _ = try await python(["verify", id, hex(random), signature])
    }
  }

  @Test func `A challenge that does not say how it is written is refused`() async throws {
    for challenge in ["dGVzdA==", "base64:%", "hex:0", "base64:", "hex:"] {
      let refused = try await world(
        ["reset-proof", "--root-secret", factorFile, "--challenge", challenge], expecting: nil)
      expectFailure(refused, 64, says: "the challenge")
    }
  }
}
