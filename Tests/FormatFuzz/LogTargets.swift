import CSPP
import SecretMemory

enum KeyTarget {
  static func run(_ bytes: [UInt8]) -> Bool {
    var accepted = accounts(bytes)
    accepted = (try? KeyWrapper(parsing: bytes.span, at: Keys.namespace)) != nil || accepted
    // The same bytes as the header of a file with a valid seal.
    var file = file(bytes, Keys.keyID)
    guard let wrapper = try? KeyWrapper(parsing: file.span, at: nil) else { return accepted }
    file = self.file(bytes, wrapper.header.keyID)
    let own = try? X25519.publicKey(
      of: KeyWrapper.recipientSecret(secret: Keys.prfOutput, keyID: wrapper.header.keyID))
    do throws(CSPPError) {
      let wrapper = try KeyWrapper(parsing: file.span, at: wrapper.header.namespaceID)
      let key = try wrapper.open(secret: Keys.prfOutput)
      must(key.namespaceID == Keys.namespace, "another namespace's key")
      must(wrapper.recipient == own, "another recipient")
    } catch .authenticationFailed {
      must(wrapper.recipient != own, "what was sealed does not open")
    } catch {
      must(error == .otherNamespace && wrapper.recipient == own, "what was sealed does not open")
    }
    again(wrapper.header)
    return true
  }

  /// A header that was read and is written again says the same.
  private static func again(_ read: KeyHeader) {
    if case .unknown = read.kind { return }
    var header = read
    header.namespaceID = Keys.namespace
    do throws(CSPPError) {
      let file = try KeyWrapper.seal(Keys.masterKey, secret: Keys.prfOutput, header: header)
      let wrapper = try KeyWrapper(parsing: file.span, at: Keys.namespace)
      must(wrapper.header == header, "the header changes")
      _ = try wrapper.open(secret: Keys.prfOutput)
    } catch {
      must(false, "a header that was read cannot be written")
    }
  }

  /// The bytes as a text of accounts at guards.
  private static func accounts(_ bytes: [UInt8]) -> Bool {
    guard let read = try? GuardAccounts(parsing: secret(bytes)) else { return false }
    guard let again = try? GuardAccounts(parsing: read.text()) else {
      must(false, "accounts that were read cannot be written")
      return false
    }
    must(again.accounts == read.accounts, "the accounts change")
    must(again.ownerKey.isEqual(to: read.ownerKey), "the owner key changes")
    return true
  }

  private static func file(_ header: [UInt8], _ keyID: KeyID) -> [UInt8] {
    let key = HKDFSHA256.deriveKey(ikm: Keys.prfOutput, info: "keybackup:v1:wrap:\(keyID)")
    let body = Keys.masterKey.withBytes { key in unsafe key.withUnsafeBytes { unsafe [UInt8]($0) } }
    return Keys.file(format: "keybackup-key", header: header, body: body, key: key)
  }
}

enum OperationTarget {
  static func run(_ bytes: [UInt8]) -> Bool {
    var accepted = false
    if let file = try? OperationFile(parsing: bytes.span, at: Keys.namespace) {
      accepted = true
      var text = secret(bytes)
      _ = try? file.open(inPlace: &text, masterKey: Keys.masterKey)
    }
    accepted = header(bytes) || accepted
    return text(bytes) || accepted
  }

  /// Takes the bytes as a header under a valid seal.
  private static func header(_ bytes: [UInt8]) -> Bool {
    let body = Array(#"{"at":1,"writer_label":"w","seen":[],"changes":[]}"#.utf8)
    let plain = Keys.file(
      format: "keybackup-op", header: bytes, body: body,
      key: Keys.masterKey.operationKey(writer: Keys.writer, counter: 1))
    guard let claimed = try? OperationFile(parsing: plain.span, at: nil).header else {
      return false
    }
    let key = Keys.masterKey.operationKey(writer: claimed.writerID, counter: claimed.counter)
    let sealed = Keys.file(format: "keybackup-op", header: bytes, body: body, key: key)
    do throws(CSPPError) {
      let file = try OperationFile(parsing: sealed.span, at: claimed.namespaceID)
      must(file.header == claimed, "the header changes")
      var text = secret(sealed)
      must(try file.open(inPlace: &text, masterKey: Keys.masterKey).changes.isEmpty, "changes")
    } catch {
      must(error == .otherNamespace, "what was sealed does not open")
    }
    return true
  }

  /// Takes the bytes as the text of an operation, which must say the same when written again.
  private static func text(_ bytes: [UInt8]) -> Bool {
    let text = secret(bytes)
    guard let operation = try? CSPP.Operation(parsing: text) else { return false }
    var builder = OperationBuilder(
      at: operation.at, writerLabel: operation.writerLabel, seen: operation.seen,
      seenSealed: operation.seenSealed)
    for change in operation.changes where !add(change, of: text, to: &builder) { return true }
    do throws(CSPPError) {
      let sealed = try builder.seal(
        header: OperationHeader(
          namespaceID: Keys.namespace, writerID: Keys.writer, counter: 1, previous: nil),
        masterKey: Keys.masterKey)
      var back = sealed.file.copy()
      let file = try sealed.file.withBytes { (file) throws(CSPPError) in
        try OperationFile(parsing: Span(_bytes: file), at: Keys.namespace)
      }
      let again = try file.open(inPlace: &back, masterKey: Keys.masterKey)
      must(again.at == operation.at && again.seen == operation.seen, "seen")
      must(again.seenSealed == operation.seenSealed, "seen_sealed")
      must(again.writerLabel == operation.writerLabel, "the label")
      must(again.changes.count == operation.changes.count, "the number of changes")
      for (one, other) in zip(operation.changes, again.changes) {
        must(meaning(one, text) == meaning(other, back), "a change changes")
      }
    } catch {
      must(false, "what was written does not open")
    }
    return true
  }

  /// - Returns: `false` for a change that cannot be written again.
  private static func add(
    _ change: CSPP.Operation.Change, of text: borrowing SecretBytes,
    to builder: inout OperationBuilder
  ) -> Bool {
    do throws(CSPPError) {
      switch change {
      case .put(let record, let payload):
        var entry = SecretBytes(zeroed: 0)
        try CSPP.Operation.decode(payload, in: text, into: &entry)
        must(entry.count == payload.count, "the payload's size")
        builder.put(record, entry: entry)
      case .remove(let record): builder.remove(record)
      case .keyAdd(let key, let payload):
        let file = try CSPP.Operation.file(payload, in: text)
        builder.keyAdd(key, file: file.span)
      case .keyLeft(let key, let id, let payload):
        let file = try CSPP.Operation.file(payload, in: text)
        builder.keyLeft(key, in: id, file: file.span)
      case .keyRemove(let key): builder.keyRemove(key)
      case .keyLabel(let key, let label): builder.keyLabel(key, label: label)
      case .envelope(let payload):
        let file = try CSPP.Operation.file(payload, in: text)
        builder.envelope(file: file.span)
      case .moved(let namespace, let boxes, let last):
        builder.moved(to: namespace, boxes: boxes, last: last)
      case .writerRetire(let writer): builder.writerRetire(writer)
      case .sensitive(let topic, let payload):
        let sealed = try CSPP.Operation.file(payload, in: text)
        builder.sensitive(topic: topic, sealed: sealed.span)
      case .writerAdd(let writer): try builder.writerAdd(writer)
      case .silentWriterRetire(let writer, let key): builder.silentWriterRetire(writer, key)
      case .file(let change): try add(change, of: text, to: &builder)
      case .from, .unknown: return false
      }
      return true
    } catch {
      return false
    }
  }

  private static func add(
    _ change: FileChange, of text: borrowing SecretBytes, to builder: inout OperationBuilder
  ) throws(CSPPError) {
    switch change {
    case .put(let put):
      try builder.filePut(
        put.fileID, name: put.name, version: NewFileVersion(copying: put.version, in: text),
        replaces: put.replaces, origin: put.origin)
    case .settle(let file, let replaces): builder.fileSettle(file, replaces: replaces)
    case .remove(let file, let replaces): builder.fileRemove(file, replaces: replaces)
    case .drop(let file, let versions): builder.fileDrop(file, versions: versions)
    }
  }

  /// A change, without its positions in the text.
  private static func meaning(
    _ change: CSPP.Operation.Change, _ text: borrowing SecretBytes
  ) -> String {
    switch change {
    case .put(let record, let payload):
      "put \(record) \((try? CSPP.Operation.file(payload, in: text)) ?? [])"
    case .keyAdd(let key, let payload):
      "key \(key) \((try? CSPP.Operation.file(payload, in: text)) ?? [])"
    case .sensitive(let topic, let payload):
      "\(topic) \((try? CSPP.Operation.file(payload, in: text)) ?? [])"
    case .file(.put(let put)):
      "\(put.fileID) \(put.name) \(put.replaces) \(String(describing: put.origin))"
        + meaning(put.version, text)
    case .envelope(let payload): "\((try? CSPP.Operation.file(payload, in: text)) ?? [])"
    default: "\(change)"
    }
  }

  private static func meaning(_ version: FileVersion, _ text: borrowing SecretBytes) -> String {
    let rest = "\(version.size) \(version.modified) \(version.mode) \(version.content)"
    switch version.place {
    case .object(let name, let payload):
      return "\(name) \((try? FileVersion.key(payload, in: text))?.copied ?? []) \(rest)"
    case .inline(let inline):
      var contents = SecretBytes(zeroed: 0)
      do { try version.contents(inline, in: text, into: &contents) } catch {}
      return "\(contents.copied) \(rest)"
    }
  }
}
