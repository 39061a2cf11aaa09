import CSPP
import SecretMemory
import TestSupport
import Testing

@testable import WalletFormats

/// Bitcoin Core's lists of descriptors, in both directions.
@Suite struct DescriptorListTests {
  static let xpub =
    "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8"
  static let xprv =
    "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi"

  /// The wallets of a list, or the reason why there are none.
  private func wallets(_ json: String) throws(WalletFormatError) -> [String] {
    let list = try DescriptorList(parsing: secret(json))
    var texts: [String] = []
    for index in 0..<list.count {
      let wallet = try list.wallet(index)
      let kind = wallet.spending == .full ? "private" : wallet.pair == nil ? "one" : "pair"
      texts.append("\(kind) \(text(wallet.text).prefix { $0 != "#" })")
    }
    return texts
  }

  private func request(_ descriptor: String, _ isInternal: Bool?) -> String {
    "{\"desc\":\"\(descriptor)\"" + (isInternal.map { ",\"internal\":\($0)" } ?? "")
      + ",\"timestamp\":\"now\",\"range\":[0,5]}"
  }

  @Test func `Two halves are one wallet, in any order`() throws {
    let (receive, change) = ("wpkh(\(Self.xpub)/0/*)", "wpkh(\(Self.xpub)/1/*)")
    let both = ["pair wpkh(\(Self.xpub)/<0;1>/*)"]
    #expect(try wallets("[\(request(receive, false)),\(request(change, true))]") == both)
    #expect(try wallets("[\(request(change, true)),\(request(receive, nil))]") == both)
    let listed =
      #"{"wallet_name":"w","descriptors":[\#(request(receive, false)),\#(request(change, true))]}"#
    #expect(try wallets(listed) == both)
    // These are not halves of each other.
    let other = "wpkh(\(Self.xpub)/1h/1/*)"
    #expect(
      try wallets("[\(request(receive, false)),\(request(other, true))]") == [
        "one \(receive)", "one \(other)",
      ])
    #expect(try wallets("[\(request(receive, false)),\(request(change, false))]").count == 2)
    #expect(
      try wallets("[\(request("wpkh(\(Self.xprv)/0/*)", nil))]").first?.hasPrefix("private") == true
    )
    let multi = "wsh(sortedmulti(2,\(Self.xpub)/0/*,\(Self.xpub)/7/0/*))"
    let multiChange = "wsh(sortedmulti(2,\(Self.xpub)/1/*,\(Self.xpub)/7/1/*))"
    #expect(
      try wallets("[\(request(multi, false)),\(request(multiChange, true))]") == [
        "pair wsh(sortedmulti(2,\(Self.xpub)/<0;1>/*,\(Self.xpub)/7/<0;1>/*))"
      ])
  }

  @Test(arguments: [
    ("", WalletFormatError.descriptorListForm), ("7", .descriptorListForm),
    (#"{"descriptors":7}"#, .descriptorListForm), ("[1", .descriptorListForm), ("[]", .empty),
    ("[7]", .descriptorListItem(1)), ("[{}]", .descriptorListItem(1)),
    (#"[{"desc":"wpkh()"}]"#, .descriptorListItem(1)),
    (
      #"[{"desc":"pkh(02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5)","internal":1}]"#,
      .descriptorListItem(1)
    ),
    (
      #"[{"desc":"pkh(02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5)#qqqqqqqq"}]"#,
      .descriptorListItem(1)
    ),
    ("[" + String(repeating: "1,", count: 1001) + "1]", .descriptorListTooLong(limit: 1000)),
    (String(repeating: " ", count: 1 << 20) + "[]", .tooLong(limit: 1 << 20)),
    (String(repeating: "[", count: 1000), .descriptorListForm),
  ])
  func `What is no list is refused`(json: String, expected: WalletFormatError) {
    #expect(
      refusal { () throws(WalletFormatError) in _ = try wallets(json) } == expected)
  }

  /// The requests for a wallet of the backup.
  private func export(
    _ secretJSON: String, _ more: String = "", metadata: String = "",
    half: ExtendedKey.Expectation = .publicKey
  ) throws(WalletFormatError) -> [String] {
    let bytes = secret(
      #"{"wallet_id":"w","secret":\#(secretJSON),"metadata":{"network":"Bitcoin"\#(metadata)},"wallet_mode":"Main"\#(more)}"#
    )
    let entry: WalletEntry
    do { entry = try WalletEntry(parsing: bytes) } catch { throw .empty }
    var wanted = WalletDescriptors()
    wanted.half = half
    let json = try wanted.json(of: entry, in: bytes, passphrase: secret(""))
    return text(json).split(separator: "\n").filter { $0.contains("desc") }.map(String.init)
  }

  @Test func `Every kind of wallet has its descriptors`() throws {
    let words =
      #"{"Mnemonic":"abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"}"#
    #expect(try export(words).count == 8)
    let spending = try export(words, half: .privateKey)
    #expect(spending.count == 8 && spending.allSatisfy { $0.contains("xprv") })
    #expect(
      try export(#"{"Xprv":"\#(Self.xprv)"}"#).filter { $0.contains("[3442193e/84'/0'/0']xpub") }
        .count == 2)
    let watch = try export(#""WatchOnly""#, #","xpub":"\#(Self.xpub)""#)
    #expect(watch.count == 8 && watch[0].contains("pkh(\(Self.xpub)/0/*)#"))
    let native = try export(
      #""WatchOnly""#, #","xpub":"\#(Self.xpub)""#, metadata: #","address_type":"NativeSegwit""#)
    #expect(native.count == 2 && native[1].contains("wpkh(\(Self.xpub)/1/*)#"))
    #expect(native[0].contains(#""active": true, "internal": false"#))
    #expect(native[1].contains(#""internal": true"#))
    let pair = try export(
      #""WatchOnly""#,
      #","descriptors":{"external":"tr(\#(Self.xpub)/0/*)","internal":"tr(\#(Self.xpub)/1/*)"}"#)
    #expect(pair.count == 2 && pair[1].contains("tr(\(Self.xpub)/1/*)#"))
    let public2 = #"{"Descriptor":"wpkh(\#(Self.xpub)/<0;1>/*)"}"#
    #expect(try export(public2).count == 2)
    let one = try export(#"{"Descriptor":"pkh(\#(Self.xpub))"}"#)
    #expect(one.count == 1 && !one[0].contains("range") && !one[0].contains("active"))
    let spend = #"{"Descriptor":"wpkh(\#(Self.xprv)/0/*)"}"#
    #expect(try export(spend, half: .privateKey).count == 1)
    for (secretJSON, half, expected) in [
      (spend, .publicKey, .onlyPrivateDescriptors), (public2, .privateKey, .noPrivateKeys),
      (#""WatchOnly""#, .privateKey, .noPrivateKeys), (#""WatchOnly""#, .publicKey, .noDescriptors),
      (#"{"TapSignerBackup":[1]}"#, .publicKey, .noDescriptors),
    ] as [(String, ExtendedKey.Expectation, WalletFormatError)] {
      #expect(
        refusal { () throws(WalletFormatError) in _ = try export(secretJSON, half: half) }
          == expected)
    }
  }

  @Test func `Words that are another wallet's give no descriptors`() throws {
    let words =
      #"{"Mnemonic":"abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"}"#
    let right = #","master_fingerprint":"73C5DA0A""#
    #expect(try export(words, metadata: right).count == 8)
    let expected = WalletFormatError.fingerprintDiffers(
      stated: try Fingerprint("b4e3f5ed"), computed: try Fingerprint("73c5da0a"))
    #expect(
      refusal { () throws(WalletFormatError) in
        _ = try export(words, metadata: right.replacing("73C5DA0A", with: "b4e3f5ed"))
      } == expected)
  }

  @Test func `An account's key says where it comes from`() throws {
    let master = try ExtendedPrivateKey(seed: secret([UInt8](repeating: 3, count: 32)))
    let account = try AccountKey(
      of: master, .nativeSegwit, account: 2, network: .mainnet, .privateKey)
    let fingerprint = try master.fingerprint().description
    let metadata = #","master_fingerprint":"\#(fingerprint)","derivation_path":"m/84'/0'/2'""#
    let requests = try export(#"{"Xprv":"\#(text(account.text))"}"#, metadata: metadata)
    #expect(requests.count == 2 && requests[0].contains("wpkh([\(fingerprint)/84'/0'/2']xpub"))
    // A path that does not lead to this key is rejected.
    let wrong = metadata.replacing("/2'", with: "/1'")
    #expect(!(try export(#"{"Xprv":"\#(text(account.text))"}"#, metadata: wrong)[0].contains("([")))
  }

  @Test func `New labels win over old ones about the same`() throws {
    let old =
      #"{"type":"tx","ref":"a","label":"old"}\#n{"type":"addr","ref":"a","label":"kept"}\#n"#
    let new = #"{"ref":"a","type":"tx","label":"new"}"#
    let merged = text(try WalletLabels.merge(secret("\u{FEFF}\n" + new), over: secret(old)))
    #expect(merged == new + "\n" + #"{"type":"addr","ref":"a","label":"kept"}"# + "\n")
    #expect(text(try WalletLabels.merge(secret(merged), over: secret(merged))) == merged)
    #expect(
      refusal { () throws(WalletFormatError) in
        _ = try WalletLabels.merge(secret("{}"), over: secret(old))
      } == .labelsLine(1, .type))
    let bytes = secret(
      #"{ "wallet_id":"w", "x":[1, 2],"secret":"WatchOnly","metadata":{"a" : 1},"wallet_mode":"Main","labels_count":9,"updated_at":1}"#
    )
    let changed = try WalletEntry.replacingLabels(
      of: bytes, with: WalletLabels(checking: secret(merged)), updatedAt: 7)
    let entry = try WalletEntry(parsing: changed)
    #expect(entry.labelsCount == 2 && entry.updatedAt == 7)
    #expect(text(changed).contains(#""x":[1, 2],"secret":"WatchOnly","metadata":{"a" : 1}"#))
  }
}
