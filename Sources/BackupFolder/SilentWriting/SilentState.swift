internal import CSPP
internal import SecretMemory

/// The state of this computer as one silent writer, or of its request to become one.
///
/// It is one file, readable by the user only, so that each change of it is all or nothing. It has no
/// secret that opens what was written.
final class SilentState {
  /// The contents of the answer to the request.
  struct Grant {
    let namespaceID: NamespaceID
    let inbox: X25519Key
    let may: SilentWriter.Permissions
    let after: Operation.Seen
  }

  /// A file of this writer.
  struct File {
    let id: FileID
    /// The operation with the version that this computer wrote last.
    var version: Digest?
    /// That operation's counter; 0 if there is none, or this computer wrote it as an earlier writer.
    var counter: UInt64 = 0
    /// The object of that version; nil if its contents are in the operation.
    var object: Digest?
    /// The digest of that version's contents; nil after a removal, and where the computer was set back.
    var content: Digest?
    /// Their size in bytes; nil where an older program wrote the version.
    var size: UInt64?

    /// The file of a writer that goes on with it under another ID.
    var takenOver: File {
      var file = self
      file.counter = 0
      return file
    }
  }

  let writerID: WriterID
  let signer: SigningPair
  let label: PathComponent
  /// The secret of the request, until it was answered.
  var answerSecret: SecretBytes?
  var grant: Grant?
  /// The place of its answer among those that this computer accepted; 0 before.
  var order: UInt64 = 0
  var writerSecret: SecretBytes?
  /// The last operation, with its complete bytes: they are published again if they are not here.
  var last: Operation.Seen?
  var lastFile: [UInt8] = []
  var files: [PathComponent: File] = [:]
  /// The wallets that this computer added, each with the operation; also those of the writers that it
  /// was before.
  var wallets: [RecordID: Operation.Seen] = [:]
  /// The time when it last found something newer of its own in the folder, in Unix seconds.
  var setBackAt: UInt64?
  /// The namespaces for which its key was authorised before.
  var earlier: Set<NamespaceID> = []

  /// Begins a request.
  ///
  /// - Parameters:
  ///   - label: the computer's name.
  ///   - known: a state whose key and files go on.
  init(label: PathComponent, continuing known: SilentState? = nil) {
    writerID = .random()
    if let known,
      let same = try? SigningPair(seed: known.signer.withSeed { SecretBytes(copying: $0) })
    {
      signer = same
      files = known.files.mapValues(\.takenOver)
      wallets = known.wallets
      earlier = known.earlier
      if let grant = known.grant { earlier.insert(grant.namespaceID) }
    } else {
      signer = .random()
    }
    self.label = label
    answerSecret = .random(count: 32)
  }

  var identity: SilentWriter.Identity {
    SilentWriter.Identity(writerID: writerID, signingKey: signer.publicKey)
  }

  /// The request; nil once it was answered.
  var request: WriterRequest? {
    guard let secret = answerSecret?.copy() else { return nil }
    return try? WriterRequest(
      writerID: writerID, signer: signer, answerSecret: secret, label: label)
  }

  // MARK: The file

  static let header = "keybackup-silent-writer 1"
  static let limit = 64 << 20

  /// The file's name.
  var fileName: String { Self.fileName(writerID) }

  static func fileName(_ id: WriterID) -> String { "\(id).writer" }

  /// The contents of the file: lines of text, the last one of which shows that none is missing.
  func bytes() -> SecretBytes {
    var text = SecretWriter(
      capacity: 2048 + lastFile.count + files.count * 256 + wallets.count * 192 + earlier.count * 48
    )
    text.raw("\(Self.header)\nwriter \(writerID)\nlabel \(Hex.string(Array(label.text.utf8)))\n")
    text.raw("seed ")
    signer.withSeed { text.hex($0) }
    text.raw("\n")
    if let secret = answerSecret?.copy() { Self.line("answer ", secret, &text) }
    if let secret = writerSecret?.copy() { Self.line("secret ", secret, &text) }
    if let grant {
      text.raw("namespace \(grant.namespaceID)\ninbox \(grant.inbox)\nmay \(grant.may.rawValue)\n")
      text.raw("after \(Self.words(grant.after))\norder \(order)\n")
    }
    for id in earlier.sorted() { text.raw("earlier \(id)\n") }
    if let setBackAt { text.raw("set-back \(setBackAt)\n") }
    for (name, file) in files.sorted(by: { $0.value.id < $1.value.id }) {
      let version = file.version?.hex ?? "-"
      let content = file.content?.hex ?? "-"
      let object = file.object?.hex ?? "-"
      text.raw("file \(file.id) \(version) \(file.counter) \(object) \(content) ")
      text.raw("\(Hex.string(Array(name.text.utf8)))")
      text.raw(file.size.map { " \($0)\n" } ?? "\n")
    }
    for (record, operation) in wallets.sorted(by: { $0.key < $1.key }) {
      text.raw("wallet \(record) \(Self.words(operation))\n")
    }
    if let last {
      text.raw("last \(Self.words(last))\noperation ")
      let bytes = lastFile
      unsafe text.raw(bytes.span.bytes)
      text.raw("\n")
    }
    text.raw("end\n")
    return text.finish()
  }

  private static func line(
    _ word: String, _ secret: borrowing SecretBytes, _ text: inout SecretWriter
  ) {
    text.raw(word)
    secret.withBytes { text.hex($0) }
    text.raw("\n")
  }

  private static func words(_ reference: Operation.Seen) -> String {
    "\(reference.writerID) \(reference.counter) \(reference.digest)"
  }

  /// The fields of a file while it is parsed.
  private struct Fields: ~Copyable {
    var writerID: WriterID?
    var label: PathComponent?
    var seed: SecretBytes?
    var answer: SecretBytes?
    var secret: SecretBytes?
    var namespaceID: NamespaceID?
    var inbox: X25519Key?
    var may: SilentWriter.Permissions?
    var after: Operation.Seen?
    var order: UInt64 = 0
    var last: Operation.Seen?
    var operation: [UInt8] = []
    var files: [PathComponent: File] = [:]
    var wallets: [RecordID: Operation.Seen] = [:]
    var earlier: Set<NamespaceID> = []
    var setBackAt: UInt64?

    /// Reads a line; returns whether it is one of this format.
    mutating func read(_ line: Span<UInt8>) -> Bool {
      if line.starts(with: "seed ") { return Self.secret(line, 5, &seed) }
      if line.starts(with: "answer ") { return Self.secret(line, 7, &answer) }
      if line.starts(with: "secret ") { return Self.secret(line, 7, &secret) }
      if line.starts(with: "operation ") {
        operation = unsafe line.extracting(droppingFirst: 10).withUnsafeBufferPointer {
          unsafe Array($0)
        }
        return true
      }
      let words = String(repairing: line).split(
        separator: " ", omittingEmptySubsequences: false
      ).map(String.init)
      switch words.first {
      case "writer" where words.count == 2:
        writerID = WriterID(hex: words[1])
        return writerID != nil
      case "label" where words.count == 2:
        label = Self.component(words[1])
        return label != nil
      case "namespace" where words.count == 2:
        namespaceID = NamespaceID(hex: words[1])
        return namespaceID != nil
      case "earlier" where words.count == 2:
        guard let id = NamespaceID(hex: words[1]) else { return false }
        earlier.insert(id)
        return true
      case "set-back" where words.count == 1:
        // An older program kept no time.
        setBackAt = 0
        return true
      case "set-back" where words.count == 2:
        setBackAt = UInt64(words[1])
        return setBackAt != nil
      case "inbox" where words.count == 2:
        inbox = X25519Key(hex: words[1])
        return inbox != nil
      case "may" where words.count == 2:
        may = UInt8(words[1]).map { SilentWriter.Permissions(rawValue: $0) }
        return may != nil
      case "after":
        after = Self.reference(words)
        return after != nil
      case "order" where words.count == 2:
        guard let number = UInt64(words[1]) else { return false }
        order = number
        return true
      case "last":
        last = Self.reference(words)
        return last != nil
      case "file" where words.count == 7 || words.count == 8:
        guard let id = FileID(hex: words[1]), let version = Self.digest(words[2]),
          let counter = UInt64(words[3]), let object = Self.digest(words[4]),
          let content = Self.digest(words[5]), let name = Self.component(words[6])
        else { return false }
        files[name] = File(
          id: id, version: version, counter: counter, object: object, content: content,
          size: words.count == 8 ? UInt64(words[7]) : nil)
        return true
      case "wallet" where words.count == 5:
        guard let record = RecordID(hex: words[1]) else { return false }
        wallets[record] = Self.reference(Array(words.dropFirst()))
        return wallets[record] != nil
      default: return false
      }
    }

    private static func secret(
      _ line: Span<UInt8>, _ start: Int, _ place: inout SecretBytes?
    ) -> Bool {
      var bytes = SecretBytes(zeroed: 32)
      let digits = line.extracting(droppingFirst: start)
      guard digits.count == 64, unsafe Hex.decode(digits.bytes, into: &bytes) else { return false }
      place = consume bytes
      return true
    }

    private static func component(_ hex: String) -> PathComponent? {
      let digits = Array(hex.utf8)
      guard let bytes = unsafe Hex.decode(digits.span.bytes),
        let text = String(validating: bytes, as: UTF8.self)
      else { return nil }
      return PathComponent(text)
    }

    /// A digest, or `-` for none; nil for other text.
    private static func digest(_ text: String) -> Digest?? {
      if text == "-" { return .some(nil) }
      return Digest(hex: text).map { .some($0) }
    }

    private static func reference(_ words: [String]) -> Operation.Seen? {
      guard words.count == 4, let writer = WriterID(hex: words[1]),
        let counter = UInt64(words[2]), counter > 0, let digest = Digest(hex: words[3])
      else { return nil }
      return Operation.Seen(writerID: writer, counter: counter, digest: digest)
    }
  }

  /// Parses the output of ``bytes()``; nil for anything else.
  init?(_ bytes: Span<UInt8>) {
    var fields = Fields()
    let isWhole = StateLines.read(bytes, header: "keybackup-silent-writer 1") { fields.read($0) }
    guard isWhole, let writerID = fields.writerID, let label = fields.label,
      let seed = fields.seed.take(), let signer = try? SigningPair(seed: seed)
    else { return nil }
    // An operation is remembered with its bytes, or not at all.
    if let last = fields.last {
      guard last.writerID == writerID, Digest(of: fields.operation.span) == last.digest else {
        return nil
      }
    }
    self.writerID = writerID
    self.label = label
    self.signer = signer
    answerSecret = fields.answer.take()
    if let namespaceID = fields.namespaceID, let inbox = fields.inbox, let may = fields.may,
      let after = fields.after, let secret = fields.secret.take()
    {
      grant = Grant(namespaceID: namespaceID, inbox: inbox, may: may, after: after)
      writerSecret = consume secret
    } else if fields.answer == nil, answerSecret == nil {
      return nil
    }
    order = fields.order
    last = fields.last
    lastFile = fields.operation
    files = fields.files
    wallets = fields.wallets
    earlier = fields.earlier
    setBackAt = fields.setBackAt
  }
}

extension LocalSilentWriter {
  /// The part of a state that is no secret.
  init(_ state: SilentState) {
    self.init(
      writerID: state.writerID, signingKey: state.signer.publicKey, label: state.label,
      namespaceID: state.grant?.namespaceID, may: state.grant?.may ?? [],
      operations: state.last?.counter ?? 0, files: state.files.mapValues(\.id),
      versions: Dictionary(
        state.files.values.compactMap { file in file.version.map { (file.id, $0) } },
        uniquingKeysWith: { $1 }),
      filesBefore: state.files.values.count {
        $0.version != nil && $0.content != nil && $0.counter == 0
      },
      walletOperations: state.wallets.filter { $0.value.writerID == state.writerID },
      walletsBefore: state.wallets.filter { $0.value.writerID != state.writerID },
      earlier: state.earlier,
      latest: state.files.compactMapValues { file in
        guard let version = file.version, file.content != nil, file.counter > 0 else {
          return nil
        }
        return LatestVersion(
          operation: Operation.Seen(
            writerID: state.writerID, counter: file.counter, digest: version),
          object: file.object, size: file.size)
      },
      authorised: state.grant?.after, last: state.last)
  }
}
