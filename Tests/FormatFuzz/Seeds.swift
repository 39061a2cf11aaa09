import CSPP
import SecretMemory
import WalletFormats

/// One good input of each kind, for the fuzzer to start from.
enum Seeds {
  static func inputs(of target: FormatTarget) -> [[UInt8]] {
    do {
      switch target {
      case .json:
        return [#"{"a":[1,-2.5e3,true,null,"\u00e9\ud83d\ude00\n"],"b":{"":{}}}"#].map {
          Array($0.utf8)
        }
      case .text: return ["QUJD", "QQ==", "-_8", "00ff", "abc"].map { Array($0.utf8) }
      case .masterKey:
        return [
          try MasterKeyEnvelope.seal(
            Keys.masterKey, prfOutput: Keys.prfOutput, prfSalt: Keys.salt,
            keyReference: MasterKeyEnvelope.KeyReference(
              keyID: Keys.keyID, rpID: "keybackup:", credentialID: [1, 2, 3]),
            createdAt: 1, updatedAt: 2)
        ]
      case .wallet:
        var cipher = WalletCipher(Keys.masterKey)
        let text = secret(entries[0])
        return entries + [
          try WalletEnvelope.seal(
            text, entry: WalletEntry(parsing: text), with: &cipher, createdAt: 1, updatedAt: 1)
        ]
      case .entry: return entries
      case .key:
        let header = KeyHeader(
          namespaceID: Keys.namespace, keyID: Keys.keyID,
          kind: .securityKey(
            KeyHeader.SecurityKey(
              rpID: "keybackup:", credentialID: [1, 2, 3], discoverable: true,
              aaguid: [UInt8](repeating: 9, count: 16), prfSalt: Keys.salt)),
          label: "Blue key", createdAt: 1)
        let file = try KeyWrapper.seal(Keys.masterKey, secret: Keys.prfOutput, header: header)
        return [file, Self.header(of: file)] + (try recoveryCodes())
      case .operation: return try operations()
      case .labels:
        let lines = Array(
          #"{"type":"tx","ref":"f91d0a8a78462bc59398f2c5d7a84fcff491c26ba54c4833478b202796c8aafd","label":"a"}"#
            .utf8)
        return [lines, try WalletLabels(checking: secret(lines)).compressed.copied]
      case .state:
        let name = "\(Keys.writer)/00000012-\(Keys.writer)"
        return [
          "keybackup-memory 1\nwriter \(Keys.writer)\nlast \(name)\ncreating\naccepted-at 5\n"
            + "operation \(name)\naccepted \(name)\nforgotten \(name)\nend\n",
          name, "0abc-def-ghj",
        ].map { Array($0.utf8) }
      case .input: return inputs.map { Array($0.utf8) }
      case .covb: return covb.map { Array($0.utf8) }
      case .lists: return lists.map { Array($0.utf8) }
      case .sealed: return try sealed()
      case .sealvault: return sealvault.map { Array($0.utf8) }
      case .celo: return celo.map { Array($0.utf8) }
      case .worldTar: return ["a", "a/../b"].map(WorldTar.archive)
      case .worldEntry: return [WorldTar.body([1, 200], path: "a"), [0xA4, 0x64]]
      case .worldText: return [WorldTar.root, Array(WorldTar.metadata.utf8), Array("{}".utf8)]
      case .gzip: return [WorldTar.gzip, Array(WorldTar.gzip.dropLast())]
      case .guards: return GuardTarget.seeds.map { Array($0.utf8) }
      }
    } catch {
      fatalError("\(error)")
    }
  }

  private static let entries = [
    #"{"wallet_id":"w1","secret":{"Mnemonic":"abandon about"},"metadata":{"name":"n","network":"Bitcoin","master_fingerprint":"0f056943"},"descriptors":{"external":"a","internal":"b"},"xpub":"x","wallet_mode":"Main","labels_zstd_jsonl":"QUJD","labels_count":1,"labels_hash":null,"labels_uncompressed_size":3,"content_revision_hash":"","updated_at":4,"keybackup":{"writer_id":"00112233445566778899aabbccddeeff","counter":5}}"#,
    #"{"wallet_id":"w\u00e9","secret":{"TapSignerBackup":[1,2,255]},"metadata":[],"wallet_mode":"Decoy"}"#,
    #"{"wallet_id":"x","secret":{"Xprv":"xprv9"},"metadata":null,"wallet_mode":"Main"}"#,
    #"{"wallet_id":"x","secret":"WatchOnly","metadata":null,"wallet_mode":"Main"}"#,
  ].map { Array($0.utf8) }

  private static let inputs = [
    "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about",
    "wpkh([d34db33f/84h/0h/0h]xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8/<0;1>/*)",
    "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8",
    "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi",
    "tr(c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5,{pk(02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5),multi_a(1,02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5)})",
    "sh(wsh(sortedmulti(1,02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5)))",
  ]

  private static let covb = [
    #"{"version":2,"created_at":1,"wallets":[{"metadata":{"id":"a","name":"n","wallet_mode":"Decoy"},"secret":{"Mnemonic":"abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"},"descriptors":{"external":"x","internal":"y"},"xpub":"z","labels_jsonl":"{\"type\":\"tx\",\"ref\":\"a\"}\n"},{"metadata":{"id":"b"},"secret":{"TapSignerBackup":[1,255]}},{"metadata":{"id":"c"},"secret":"None"}],"settings":{}}"#,
    "COVB\u{4}",
  ]

  private static let sealvault = [
    #"{"backup_scheme":"V1","backup_version":7,"device_id":"B92B17B9-24A0-48FC-9709-281B15639BD8","device_name":"Agó\"s \\ iPhone","kdf_nonce":"oKGio6SlpqeoqaqrrK2urw==","operating_system":"ios","timestamp":1672054688}"#,
    "sealvault_backup_v1_ios_1672054688_B92B17B9-24A0-48FC-9709-281B15639BD8_7.zip",
  ]

  private static let celo = [
    #"{"encryptedData":"0NHS09TV1tfY2drbgGgxgc2Z6fr1WfkYUGOWMBQtkTP6dcpSkJlxo3vzL9A=","nonce":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=","version":"0.0.1","odisDomain":{"name":"ODIS Sequential Delay Domain","version":"1","stages":[{"delay":10,"resetTimer":{"defined":true,"value":true},"batchSize":{"defined":true,"value":2},"repetitions":{"defined":false,"value":0}},{"delay":30,"resetTimer":{"defined":true,"value":false},"batchSize":{"defined":true,"value":1},"repetitions":{"defined":false,"value":0}}],"address":{"defined":true,"value":"0x14d25D3fC2B45893C9E67B55d8Cc8831B36384Ac"},"salt":{"defined":false,"value":""}},"encryptedFuseKey":"AAAA","environment":{"odis":{"odisUrl":"https://odis.example","odisPubKey":"AAAA"},"circuitBreaker":{"url":"https://cb.example/","publicKey":"PEM"}},"metadata":{"a":[1.5,null]}}"#,
    #"{"encryptedData":"0NHS09TV1tfY2drbu4eXgppiuhsxe0xfskg07nPJs6JS8SVGWiKSMWrSlFk=","nonce":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=","version":"0.0.1","computationalHardening":{"function":"scrypt","cost":32768,"blockSize":8,"parallelization":1},"environment":{}}"#,
    #"{"encryptedData":"0NHS09TV1tfY2drbrXqkL3kvoH0auJqdv770wgbvVI1o3tmLnYFuWOFDEGw=","nonce":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=","version":"0.0.1","computationalHardening":{"function":"pbkdf2_sha256","iterations":10000},"environment":{}}"#,
    #"{"encryptedData":"0NHS09TV1tfY2drbgGgxgc2Z6fr1WfkYUGOWMBQtkTP6dcpSkJlxo3vzL9A=","nonce":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=","version":"0.0.1"}"#,
  ]

  private static let lists = [
    "[{\"desc\":\"\(inputs[1])\",\"internal\":false}]",
    #"{"wallet_name":"w","descriptors":[{"desc":"pkh(02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5)"}]}"#,
    "000000000000000000000000000000000000000000000003",
  ]

  private static func operations() throws(CSPPError) -> [[UInt8]] {
    let seen = CSPP.Operation.Seen(
      writerID: Keys.writer, counter: 3, digest: Digest(words: SIMD4(1, 2, 3, 4)))
    var builder = OperationBuilder(at: 1, writerLabel: "w", seen: [seen])
    builder.put(RecordID(walletID: "w1"), entry: secret(Array("{}".utf8)))
    builder.remove(RecordID(walletID: "w2"))
    let (one, other): ([UInt8], [UInt8]) = ([1, 2], [3])
    builder.keyAdd(Keys.keyID, file: one.span)
    builder.keyLeft(Keys.keyID, in: Keys.namespace, file: one.span)
    builder.keyRemove(Keys.keyID)
    builder.keyLabel(Keys.keyID, label: "l")
    builder.envelope(file: other.span)
    builder.moved(
      to: Keys.namespace, boxes: [CSPP.Operation.Box(keyID: Keys.keyID, box: [1, 2])],
      last: seen)
    builder.writerRetire(Keys.writer)
    try addFiles(to: &builder, after: seen)
    let header = try OperationHeader(
      namespaceID: Keys.namespace, writerID: Keys.writer, counter: 2, previous: seen.digest)
    let sealed = try builder.seal(header: header, masterKey: Keys.masterKey)
    let file = sealed.file.copied
    var text = sealed.file.copy()
    _ = try OperationFile(parsing: file.span, at: nil)
      .open(inPlace: &text, masterKey: Keys.masterKey)
    return [file, Self.header(of: file), text.copied]
  }

  private static func addFiles(
    to builder: inout OperationBuilder, after seen: CSPP.Operation.Seen
  ) throws(CSPPError) {
    guard let name = PathComponent("channel.backup") else { return }
    let key = SealedTarget.signer.publicKey
    let file = FileID(words: SIMD2(5, 6))
    try builder.writerAdd(
      SilentWriter(writerID: Keys.writer, signingKey: key, label: name, may: [.filePut, .put]))
    builder.silentWriterRetire(Keys.writer, key)
    try builder.filePut(
      file, name: name,
      version: NewFileVersion(inline: secret([1, 2, 3]), modified: 4, mode: 0o600),
      replaces: [seen.digest], origin: FileOrigin(made: seen.digest, by: key))
    builder.fileSettle(file, replaces: [seen.digest])
    builder.fileRemove(file, replaces: [seen.digest])
    builder.fileDrop(file, versions: [seen.digest])
  }

  /// A sealed operation, the members of its text after `header`, and a request.
  private static func sealed() throws -> [[UInt8]] {
    guard let name = PathComponent("channel.backup") else { return [] }
    let header = try OperationHeader(
      namespaceID: Keys.namespace, writerID: Keys.writer, counter: 1, previous: nil)
    var builder = SealedOperationBuilder(header: header, at: 1, after: SealedTarget.after)
    try builder.filePut(
      FileID(words: SIMD2(5, 6)), name: name,
      version: NewFileVersion(inline: secret([1, 2, 3]), modified: 4, mode: 0o600), replaces: [])
    builder.put(RecordID(walletID: "w1"), entry: secret(Array("{}".utf8)))
    builder.fileRemove(FileID(words: SIMD2(5, 6)), replaces: [SealedTarget.after.digest])
    let sealed = try builder.seal(
      inbox: SealedTarget.inbox.publicKey, writerSecret: SealedTarget.writerSecret,
      signer: SealedTarget.signer)
    let file = sealed.file.copied
    var text = secret([])
    _ = try SealedOperationFile(parsing: file.span, at: nil).open(
      by: SealedTarget.writer, inbox: SealedTarget.inbox,
      writerSecret: SealedTarget.writerSecret, into: &text)
    let plain = String(decoding: text.copied, as: UTF8.self).split(separator: ",", maxSplits: 1)
    let request = try WriterRequest(
      writerID: Keys.writer, signer: SealedTarget.signer,
      answerSecret: secret(Keys.salt), label: name)
    return [
      file, plain.last.map { Array($0.trimmingBlanks.utf8) } ?? [], Array(request.line.utf8),
    ]
  }

  /// Headers of key slots with a recovery code: alone, and with each second secret.
  private static func recoveryCodes() throws -> [[UInt8]] {
    let seconds: [KeyHeader.SecondSecret?] = [
      nil, .file, .keyring,
      .securityKey(rpID: "keybackup:", credentialID: [1, 2, 3], prfSalt: Keys.salt),
    ]
    return try seconds.map { second in
      let derivation = try KeyHeader.CodeDerivation(
        salt: Keys.nonce + [1, 2, 3, 4], cost: Argon2id.Parameters(memoryKiB: 8, passes: 1),
        secondSecret: second)
      let header = KeyHeader(
        namespaceID: Keys.namespace, keyID: Keys.keyID, kind: .recoveryCode(derivation),
        label: "Kit", createdAt: 1)
      return Self.header(
        of: try KeyWrapper.seal(Keys.masterKey, secret: Keys.prfOutput, header: header))
    }
  }

  /// The header of one of our own files.
  private static func header(of file: [UInt8]) -> [UInt8] {
    let text = unsafe file.span.bytes
    guard let object = try? JSONObject(parsing: text, duplicates: .refused),
      let header = try? object.required("protected", in: text).base64("x", in: text, .url)
    else { return [] }
    return header
  }
}

extension Substring {
  /// Without the blanks at the end.
  fileprivate var trimmingBlanks: Substring {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
