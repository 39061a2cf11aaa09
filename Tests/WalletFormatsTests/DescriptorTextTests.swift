import SecretMemory
import Testing

@testable import WalletFormats

/// Descriptors as programs and people write them down.
@Suite struct DescriptorTextTests {
  struct Records: Decodable {
    let wallets: [String]
    let key: String
  }

  static let xpub = DescriptorListTests.xpub
  /// The same key with the version bytes of a zpub, by this module's own encoder.
  static func zpub() throws -> String {
    let version = try #require(
      ExtendedKeyVersion.all.first {
        !$0.isPrivate && $0.network == .mainnet && $0.form == .segwit
      })
    switch ExtendedKeyPayload.replaceVersion(of: secret(xpub), by: version) {
    case nil: return ""
    case .some(let key): return text(key)
    }
  }

  private func wallets(_ input: [UInt8]) throws(WalletFormatError) -> [String] {
    let list = try DescriptorList(parsing: secret(input))
    var texts: [String] = []
    for index in 0..<list.count {
      let wallet = try list.wallet(index)
      texts.append(String(text(wallet.text).prefix { $0 != "#" }))
    }
    return texts
  }

  private func wallets(_ input: String) throws(WalletFormatError) -> [String] {
    try wallets(Array(input.utf8))
  }

  private func checked(_ descriptor: String) throws -> String {
    text(try Descriptor(checking: secret(descriptor)).text)
  }

  private func refusalOf(_ input: String) -> WalletFormatError? {
    refusal { () throws(WalletFormatError) in _ = try wallets(input) }
  }

  @Test func `Quotes, unusual spaces and other comments are read`() throws {
    let both = "wpkh(\(Self.xpub)/<0;1>/*)"
    let full = try checked(both)
    let receive = try checked("wpkh(\(Self.xpub)/0/*)")
    let change = try checked("wpkh(\(Self.xpub)/1/*)")
    for input in [
      "'\(full)'", "`\(full)`", "\u{201C}\(full)\u{201D}", "\u{2018}\(full)\u{2019}",
      "\"\(full)\" # mine",
      "\"\(receive)\",\n\"\(change)\"\n", "\(full) #mine", "\(full) // mine", "; mine\n\(full)",
      "// mine\n\(full)", "\u{A0}\(full)\u{A0}\n", "\u{200B}\(full)\u{FEFF}",
      "\(both)\u{202F}# mine",
    ] {
      #expect(try wallets(input) == [both], "\(input)")
    }
    // A checksum behind a space is still compared.
    #expect(refusalOf("\(both) #aaaaaaaa") != nil)
    // UTF-16 without a byte order mark.
    for isBig in [false, true] {
      let bytes = full.utf16.flatMap { unit -> [UInt8] in
        let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
        return isBig ? [high, low] : [low, high]
      }
      #expect(try wallets(bytes) == [both])
    }
  }

  @Test func `The descriptor of change addresses in JSON is taken`() throws {
    let receive = "wpkh(\(Self.xpub)/0/*)"
    let change = "wpkh(\(Self.xpub)/1/*)"
    let both = "wpkh(\(Self.xpub)/<0;1>/*)"
    for name in ["desc", "descriptor"] {
      let object =
        "{\"\(name)\":\"\(receive)\",\"change_descriptor\":\"\(change)\",\"network\":\"bitcoin\"}"
      #expect(try wallets(object) == [both])
      #expect(try wallets("[\(object)]") == [both])
    }
    // Another wallet's is not dropped.
    let other = "{\"descriptor\":\"\(receive)\",\"change_descriptor\":\"pkh(\(Self.xpub)/1/*)\"}"
    #expect(try wallets(other).count == 2)
    #expect(try wallets("{\"descriptor\":\"\(receive)\",\"change_descriptor\":null}") == [receive])
    for wrong in ["5", "\"wpkh(x)\""] {
      #expect(refusalOf("{\"descriptor\":\"\(receive)\",\"change_descriptor\":\(wrong)}") != nil)
    }
  }

  @Test func `Comments, blank lines and two halves are read`() throws {
    let both = "wpkh(\(Self.xpub)/<0;1>/*)"
    let receive = try checked("wpkh(\(Self.xpub)/0/*)")
    let change = try checked("wpkh(\(Self.xpub)/1/*)")
    for input in [
      both, try checked(both), "# mine\n\(both)", "\(both)   # mine",
      "\(try checked(both))\t# mine\n",
      "\(receive)\r\n\(change)\r\n", "\(change)\n\n\(receive)", "\"\(receive)\"",
      // As Sparrow exports them.
      """
      # Receive and change descriptor (BIP389):
      \(try checked(both))

      # Receive descriptor (Bitcoin Core):
      \(receive)

      # Change descriptor (Bitcoin Core):
      \(change)

      """,
    ] {
      let expected = input == "\"\(receive)\"" ? "wpkh(\(Self.xpub)/0/*)" : both
      #expect(try wallets(input) == [expected], "\(input)")
    }
    let other = "pkh(\(Self.xpub)/7/*)"
    #expect(try wallets("\(other)\n\(receive)\n\(change)").sorted() == [other, both].sorted())
  }

  @Test func `Lists of Bitcoin Core are read in every wrapping`() throws {
    let receive = try checked("wpkh(\(Self.xpub)/0/*)")
    let list = #"{"wallet_name":"w","descriptors":[{"desc":"\#(receive)","active":true}]}"#
    let wrapped = #"{"result":\#(list),"error":null,"id":"curl"}"#
    let expected = ["wpkh(\(Self.xpub)/0/*)"]
    for json in [
      list, "\u{FEFF}" + list, wrapped, #"{"result":[{"desc":"\#(receive)"}],"error":null,"id":1}"#,
      #"["\#(receive)"]"#, #"{"desc":"\#(receive)"}"#,
      // As Specter and getdescriptorinfo write it.
      #"{"label":"w","blockheight":1,"descriptor":"\#(receive)","devices":[]}"#,
    ] {
      #expect(try wallets(json) == expected, "\(json)")
      for isBig in [false, true] {
        let units = [0xFEFF] + json.utf16.filter { $0 != 0xFEFF }
        let bytes = units.flatMap { unit -> [UInt8] in
          let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
          return isBig ? [high, low] : [low, high]
        }
        #expect(try wallets(bytes) == expected)
      }
    }
    #expect(refusalOf(#"{"result":null,"error":{"code":-4},"id":1}"#) == .descriptorListForm)
  }

  @Test func `Records of BIP 129 are read`() throws {
    let records = try Vectors.decode("bip129/records.json", as: Records.self)
    for record in records.wallets {
      let lines = record.split(separator: "\n")
      let descriptor = String(lines[1].prefix { $0 != "#" }).replacing("/**", with: "/<0;1>/*")
      #expect(try wallets(record) == [descriptor])
      #expect(try wallets(record.replacing("\n", with: "\r\n")) == [descriptor])
    }
    #expect(refusalOf(records.key) == .bsmsKeyRecord)
    let one = records.wallets[1].replacing("/0/*,/1/*", with: "/0/*")
    #expect(try wallets(one).first?.contains("/0/*,[4fc1dd4a") == true)
    // The template of a wallet policy (BIP-388) stands for both chains.
    #expect(try wallets("wpkh(\(Self.xpub)/**)") == ["wpkh(\(Self.xpub)/<0;1>/*)"])
  }

  @Test func `What is no descriptor is named`() throws {
    let origin = "[d34db33f/84'/0'/0']\(Self.xpub)"
    #expect(refusalOf(origin) == .descriptorKeyAlone)
    #expect(refusalOf("# key\n" + origin + "\n") == .descriptorKeyAlone)
    #expect(
      refusalOf(try checked("wpkh(\(Self.xpub)/0/*)") + " and more") == .descriptorChecksumForm)
    let zpub = try Self.zpub()
    #expect(zpub.hasPrefix("zpub"))
    for input in [
      "wpkh(\(zpub)/0/*)", "# mine\nwpkh(\(zpub)/0/*)", #"[{"desc":"wpkh(\#(zpub)/0/*)"}]"#,
    ] {
      #expect(refusalOf(input) == .descriptorKeyForm, "\(input)")
    }
    // A checksum after a space is not taken for a comment.
    #expect(refusalOf("wpkh(\(Self.xpub)/0/*) #qqqqqqqq") == .descriptorChecksum)
    #expect(refusalOf("# only a comment") == .descriptorListForm)
    #expect(refusalOf("BSMS 1.0") == .descriptorListForm)
    #expect(refusalOf("hello") == .descriptorListForm)
  }

  /// The error of the only descriptor is that of its own; of several its number.
  @Test func `A wrong descriptor in a text is told`() throws {
    let good = try checked("wpkh(\(Self.xpub)/0/*)")
    let wrong = good.dropLast() + (good.last == "q" ? "p" : "q")
    #expect(refusalOf(String(wrong)) == .descriptorChecksum)
    #expect(refusalOf("# mine\n\(wrong)") == .descriptorChecksum)
    #expect(refusalOf("wpkh(secret)") == .descriptorKey(position: 6))
    #expect(refusalOf("\(good)\n\(wrong)") == .descriptorListItem(2))
    let template = "wpkh(\(Self.xpub)/**)#qqqqqqqq"
    #expect(refusalOf(template) == .descriptorChecksum)
  }
}
