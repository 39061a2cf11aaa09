import CSPP
import Foundation
import SecretMemory
import TestSupport
import Testing

@testable import WalletFormats

/// Cove's `.covb` files; Tests/reader/covb.py is the other side.
@Suite struct CovbTests {
  static let password = "correct horse battery staple"

  /// A file's JSON with one wallet of every kind.
  static let json = #"""
    {"version":2,"created_at":1780000000,"wallets":[
    {"metadata":{"id":"hot","name":"Hot ☀","color":"Blue","verified":true,"network":"Bitcoin","wallet_type":"Hot","kept":[1,12345678901234567890,{"x":null}]},
     "secret":{"Mnemonic":"abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"},
     "descriptors":null,"xpub":null,
     "labels_jsonl":"{\"type\":\"tx\",\"ref\":\"aa\",\"label\":\"re\\nnt\"}\n{\"type\":\"addr\",\"ref\":\"bc1\",\"label\":\"Käse\"}\n"},
    {"metadata":{"id":"key","name":"Key","color":{"Custom":{"r":1,"g":2,"b":3}},"verified":false,"network":"Bitcoin"},
     "secret":{"Xprv":"xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi"},
     "descriptors":{"external":"wpkh(a)","internal":"wpkh(b)"},"xpub":"xpub1","labels_jsonl":null},
    {"metadata":{"id":"card","name":"Card","color":"Red","verified":true,"network":"Bitcoin"},
     "secret":{"TapSignerBackup":[0,1,254,255]},"descriptors":null,"xpub":null,"labels_jsonl":null},
    {"metadata":{"id":"watch","name":"Watch","color":"Red","verified":true,"network":"Testnet4","wallet_mode":"Decoy"},
     "secret":"None","descriptors":{"external":"tr(a)","internal":"tr(b)"},"xpub":"tpub1"}
    ],"settings":{"selected_network":"bitcoin","selected_fiat_currency":null,"color_scheme":null,"selected_nodes":[["bitcoin","{}"]]}}
    """#

  private func content(_ json: String) throws(WalletFormatError) -> CovbContent {
    try CovbContent(parsing: secret(json))
  }

  private func cleaned(_ text: String) throws(WalletFormatError) -> CovbPassword {
    try CovbPassword(cleaning: secret(text))
  }

  /// The reason why a wallet cannot be imported.
  private static func problem(_ content: borrowing CovbContent, _ index: Int) -> CovbProblem? {
    do throws(CovbProblem) {
      _ = try content.wallet(index)
      return nil
    } catch {
      return error
    }
  }

  // MARK: Mapping

  @Test func `Every kind of wallet becomes an entry and comes back the same`() throws {
    let content = try content(Self.json)
    let count = content.count
    try #require(count == 4)
    var writer = CovbWriter()
    for index in 0..<count {
      let wallet = try content.wallet(index)
      let bytes = try wallet.entry(updatedAt: content.createdAt)
      let entry = try WalletEntry(parsing: bytes)
      #expect(entry.updatedAt == 1_780_000_000)
      let back = try CovbWallet(entry, in: bytes)
      #expect(back.digest() == wallet.digest() && back.losses.isEmpty)
      switch index {
      case 0:
        #expect(entry.secretKind == .mnemonic && entry.walletID == "hot" && entry.name == "Hot ☀")
        #expect(entry.labelsCount == 2 && entry.mode == .main)
        #expect(text(entry.metadata(in: bytes)).contains("12345678901234567890"))
      case 1:
        #expect(entry.secretKind == .xprv)
        let external = text(entry.externalDescriptor(in: bytes))
        #expect(external == "wpkh(a)")
      case 2:
        let secret = text(try entry.secret(in: bytes))
        #expect(entry.secretKind == .tapSignerBackup)
        #expect(secret == String(decoding: [0, 1, 254, 255] as [UInt8], as: UTF8.self))
      default:
        #expect(entry.secretKind == .watchOnly && entry.mode == .decoy)
        let xpub = text(entry.xpub(in: bytes))
        #expect(xpub == "tpub1")
      }
      writer.append(back)
    }
    let again = try self.content(text(writer.finish(createdAt: 5)))
    #expect(again.createdAt == 5)
    for index in 0..<count {
      #expect(try again.wallet(index).digest() == content.wallet(index).digest())
    }
  }

  @Test(arguments: [
    ("{}", "lacks the field version"), ("[]", "is no JSON object"), ("", "is empty"),
    (#"{"version":3,"created_at":1,"wallets":[]}"#, "has an invalid field version"),
    (#"{"version":1,"created_at":-1,"wallets":[]}"#, "has an invalid field created_at"),
    (#"{"version":1,"created_at":1,"wallets":{}}"#, "has an invalid field wallets"),
    (#"{"version":1,"version":1,"created_at":1,"wallets":[]}"#, "has the field version twice"),
    (#"{"version":1,"created_at":1,"wallets":[1}"#, "is not JSON (byte 41)"),
  ])
  func `A file's JSON is read strictly`(json: String, reason: String) {
    #expect(
      refusal { () throws(WalletFormatError) in _ = try content(json) } == .covbContent(reason))
  }

  @Test(arguments: [
    (#"{"metadata":{"id":"a"},"secret":"Later"}"#, CovbProblem.unknownSecret),
    (#"{"metadata":{"id":"a"},"secret":{"Later":{}}}"#, .unknownSecret),
    (#"{"metadata":{"id":"a"},"secret":{"None":null}}"#, .unknownSecret),
    (#"{"metadata":{"id":"a"},"secret":{"Mnemonic":"abandon"}}"#, .secret(.mnemonicWordCount(1))),
    (#"{"metadata":{"id":"a"},"secret":{"Xprv":"x"}}"#, .secret(.extendedKeyLength)),
    (#"{"metadata":{"id":"a"},"secret":{"Mnemonic":1}}"#, .content("has an invalid field secret")),
    (#"{"metadata":{"id":"a"},"secret":{}}"#, .content("has an invalid field secret")),
    (
      #"{"metadata":{"id":"a"},"secret":{"TapSignerBackup":[256]}}"#,
      .content("has an invalid field secret")
    ),
    (#"{"metadata":{},"secret":"None"}"#, .content("lacks the field metadata.id")),
    (#"{"metadata":{"id":""},"secret":"None"}"#, .content("lacks the field metadata.id")),
    (#"{"metadata":7,"secret":"None"}"#, .content("is no JSON object")),
    (#"{"secret":"None"}"#, .content("lacks the field metadata")),
    ("7", .content("is no JSON object")),
    (
      #"{"metadata":{"id":"a"},"secret":"None","descriptors":{"external":"x"}}"#,
      .content("lacks the field internal")
    ),
    (
      #"{"metadata":{"id":"a"},"secret":"None","labels_jsonl":[]}"#,
      .content("has an invalid field labels_jsonl")
    ),
  ])
  func `One bad wallet does not stop the others`(wallet: String, problem: CovbProblem) throws {
    let good = #"{"metadata":{"id":"b"},"secret":"None"}"#
    let content = try content(#"{"version":1,"created_at":1,"wallets":[\#(wallet),\#(good)]}"#)
    let id = try content.wallet(1).walletID
    #expect(id == "b")
    #expect(Self.problem(content, 0) == problem)
  }

  @Test func `A version 1 file holds no Xprv`() throws {
    let content = try content(Self.json.replacing(#""version":2"#, with: #""version":1"#))
    #expect(Self.problem(content, 1) == .content("holds an Xprv in version 1"))
    let name = try content.wallet(0).name
    #expect(name == "Hot ☀")
  }

  @Test func `What a file has no place for is said`() throws {
    func problem(_ secret: String, _ metadata: String = #"{"id":"w"}"#) throws -> CovbProblem? {
      let bytes = WalletFormatsTests.secret(
        #"{"wallet_id":"w","secret":\#(secret),"metadata":\#(metadata),"wallet_mode":"Decoy"}"#)
      let entry = try WalletEntry(parsing: bytes)
      do throws(CovbProblem) {
        let wallet = try CovbWallet(entry, in: bytes)
        #expect(wallet.losses.contains(.decoyMode))
        #expect(wallet.losses.contains(.missingMetadata("color")))
        return nil
      } catch {
        return error
      }
    }
    let xpub =
      "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8"
    let xprv =
      "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi"
    #expect(try problem(#""WatchOnly""#) == nil)
    #expect(try problem(#"{"Descriptor":"wpkh(\#(xpub)/<0;1>/*)"}"#) == nil)
    #expect(try problem(#"{"Descriptor":"wpkh(\#(xpub)/0/*)"}"#) == .singleDescriptor)
    #expect(try problem(#"{"Descriptor":"wpkh(\#(xprv)/<0;1>/*)"}"#) == .privateDescriptor)
    #expect(try problem(#""WatchOnly""#, #"{"id":"other"}"#) == .metadataID)
    #expect(try problem(#""WatchOnly""#, "[]") == .metadataID)
  }

  // MARK: The file

  @Test func `Passwords are cleaned as Cove does`() throws {
    let clean = bytes(try cleaned("aaaaaaaaaaaaaaaaaaaé").text)
    let spaces = " a\u{A0}aaaa\u{2003}\taaaaa\naaaaa\u{3000}aaaaé\u{85}\r\n"
    #expect(bytes(try cleaned(spaces).text) == clean)
    #expect(
      refusal { () throws(WalletFormatError) in
        _ = try cleaned("é é é é é é é é é é é é é é é é é é é")
      } == .covbPasswordTooShort)
    _ = try cleaned("é é é é é é é é é é é é é é é é é é é é")
    #expect(
      refusal { () throws(WalletFormatError) in
        _ = try CovbPassword(
          cleaning: secret(Array(String(repeating: "x", count: 30).utf8) + [0xC3]))
      } == .covbPasswordText)
    #expect(
      refusal { () throws(WalletFormatError) in
        _ = try cleaned(String(repeating: "x", count: 1025))
      } == .tooLong(limit: 1024))
    let generated = (0..<20).map { _ in text(CovbPassword.generate()) }
    #expect(Set(generated).count == 20)
    for password in generated {
      #expect(password.split(separator: " ").map(\.count) == [5, 5, 5, 5, 5])
      #expect(bytes(try cleaned(password).text).count == 25)
    }
  }

  /// Cove takes the bytes of the phone's keyboard, which may have another form than this one's.
  @Test(arguments: [
    ("schöne Äpfel für Zoë zum Frühstück", 2), ("가나다라마바사아자차카타파하 한글 비밀번호", 2),
    ("correct horse battery staple", 1),
  ])
  func `The other Unicode form of a password opens a file`(password: String, forms: Int) throws {
    let (composed, decomposed) = (
      password.precomposedStringWithCanonicalMapping, password.decomposedStringWithCanonicalMapping
    )
    for form in [composed, decomposed] {
      let file = bytes(try CovbFile.seal(secret("{}"), password: cleaned(form)))
      for typed in [composed, decomposed] {
        #expect(try text(CovbFile.open(secret(file), password: cleaned(typed))) == "{}")
      }
      #expect(
        refusal { () throws(WalletFormatError) in
          _ = try CovbFile.open(secret(file), password: cleaned(form + "x"))
        } == .covbAuthentication)
      // Each form costs a derivation: none is tried twice.
      let given = try cleaned(form)
      var count = 0
      for form in CovbPassword.Form.allCases {
        if given.text(in: form) != nil { count += 1 }
      }
      #expect(count == forms)
    }
    // Neither form of it is what was typed here.
    let mixed = String(composed.prefix(8)) + String(decomposed.dropFirst(8))
    #expect(
      try text(
        CovbFile.open(
          secret(bytes(CovbFile.seal(secret("{}"), password: cleaned(composed)))),
          password: cleaned(mixed))) == "{}")
  }

  @Test func `Labels of unknown types stay, and damaged lines are left out`() throws {
    let labels =
      #"{\"type\":\"tx\",\"ref\":\"aa\"}\n{\"type\":\"account\",\"ref\":\"b\"}\n"#
    for (more, isDamaged) in [("", false), ("broken", true)] {
      let content = try content(
        #"{"version":1,"created_at":1,"wallets":[{"metadata":{"id":"a"},"secret":"None","labels_jsonl":"\#(labels + more)"}]}"#
      )
      let wallet = try content.wallet(0)
      var isRefused = false
      do throws(CovbProblem) { _ = try wallet.entry(updatedAt: 1) } catch .labels {
        isRefused = true
      }
      #expect(isRefused == isDamaged)
      let bytes = try wallet.entry(updatedAt: 1, leavingOutDamagedLabels: true)
      let entry = try WalletEntry(parsing: bytes)
      #expect(entry.labelsCount == (isDamaged ? 1 : 2))
    }
  }

  @Test func `Only the password opens a file, and only an unchanged one`() throws {
    let file = bytes(try CovbFile.seal(secret("{}"), password: cleaned(Self.password)))
    func open(_ file: [UInt8], _ password: String = Self.password) -> WalletFormatError? {
      refusal { () throws(WalletFormatError) in
        _ = try CovbFile.open(secret(file), password: cleaned(password))
      }
    }
    #expect(open(file) == nil)
    #expect(open(file, " correcthorse battery staple\n") == nil)
    #expect(open(file, "correct horse battery stable") == .covbAuthentication)
    for place in [5, 21, 49, file.count - 1] {
      var changed = file
      changed[place] ^= 1
      #expect(open(changed) == .covbAuthentication)
    }
    // These errors are found without a key derived from the password.
    for size in [0, 3, 4, 5, 48, 49, 64, file.count - 1] {
      #expect(open(Array(file.prefix(size))) == .covbForm)
    }
    #expect(open(file + [0]) == .covbForm)
    #expect(open(Array("NOPE".utf8) + file.dropFirst(4)) == .covbForm)
    for version in [0, 1, 3, 5, 255] as [UInt8] {
      #expect(open(file.prefix(4) + [version] + file.dropFirst(5)) == .covbVersion(Int(version)))
    }
  }

  // MARK: The other program

  private func python(_ arguments: [String], input: Data = Data()) throws -> Data {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let process = Process()
    process.executableURL = root.appending(path: ".build-python/bin/python")
    process.arguments = ["-B", root.appending(path: "Tests/reader/covb.py").path] + arguments
    let (give, take) = (Pipe(), Pipe())
    process.standardInput = give
    process.standardOutput = take
    try process.run()
    try give.fileHandleForWriting.write(contentsOf: input)
    try give.fileHandleForWriting.close()
    let output = try take.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return output
  }

  @Test func `Another program reads ours, and we read its`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "covb-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (ours, theirs) = (folder.appending(path: "ours"), folder.appending(path: "theirs"))
    let password = folder.appending(path: "password")
    try Data((Self.password + "\n").utf8).write(to: password)
    let sealed = bytes(try CovbFile.seal(secret(Self.json), password: cleaned(Self.password)))
    try Data(sealed).write(to: ours)
    #expect(try python(["read", ours.path, password.path]) == Data(Self.json.utf8))
    _ = try python(["write", theirs.path, password.path], input: Data(Self.json.utf8))
    let read = try CovbFile.open(
      secret(Array(Data(contentsOf: theirs))), password: cleaned(Self.password))
    #expect(text(read) == Self.json)
    // A bomb: a gigabyte of zeroes in a few kilobytes.
    let bomb = folder.appending(path: "bomb")
    let block = try bytes(Zstd.compress(secret([UInt8](repeating: 0, count: 1 << 20))))
    let frames = Data((0..<1024).flatMap { _ in block })
    _ = try python(["raw", bomb.path, password.path], input: frames)
    #expect(
      refusal { () throws(WalletFormatError) in
        _ = try CovbFile.open(
          secret(Array((try? Data(contentsOf: bomb)) ?? Data())), password: cleaned(Self.password))
      } == .covbCompression)
  }
}

/// The text of a value that may be absent.
private func text(_ secret: consuming SecretBytes?) -> String? {
  switch secret {
  case nil: nil
  case .some(let secret): WalletFormatsTests.text(secret)
  }
}
