internal import CSPP
internal import SecretMemory

extension CeloBackup {
  /// Reads a file, and checks everything that needs no secret.
  ///
  /// - Throws: `damaged`, `missing`, `unsupported`, `tooLarge`; the part says which.
  package init(parsing text: RawSpan) throws(ForeignBackupError) {
    guard text.byteCount <= Self.sizeLimit else {
      throw .tooLarge(part: "the file, in bytes,", limit: Self.sizeLimit)
    }
    let fields = try CeloFields(file: text)
    let version = try fields.required("version", in: text)
    guard try version.text(in: text) == Self.version else { throw .unsupported(part: version.part) }
    let data = try fields.required("encryptedData", in: text)
    encryptedData = try data.base64(in: text)
    guard encryptedData.count >= AES256GCM.overhead else { throw .damaged(part: data.part) }
    let nonce = try fields.required("nonce", in: text)
    self.nonce = try nonce.base64(in: text)
    guard self.nonce.count == Self.nonceSize else { throw .damaged(part: nonce.part) }
    odisDomain = try fields.field("odisDomain", in: text).map { value throws(ForeignBackupError) in
      try SequentialDelayDomain(value, in: text)
    }
    encryptedFuseKey = try fields.field("encryptedFuseKey", in: text).map {
      value throws(ForeignBackupError) in
      let wrapped = try value.base64(in: text)
      // RSA keys of at most 16,384 bits.
      guard (1...2048).contains(wrapped.count) else { throw .damaged(part: value.part) }
      return wrapped
    }
    hardening = try fields.field("computationalHardening", in: text).map {
      value throws(ForeignBackupError) in try CeloHardening(value, in: text)
    }
    environment =
      try fields.field("environment", in: text).map { value throws(ForeignBackupError) in
        try Environment(value, in: text)
      } ?? Environment()
    metadata = try fields.field("metadata", in: text).map { value throws(ForeignBackupError) in
      guard value.value.kind == .object else { throw .damaged(part: value.part) }
      return unsafe text.extracting(value.value.fullRange).withUnsafeBytes {
        unsafe String(decoding: $0, as: UTF8.self)
      }
    }
    unknownFields = fields.object.members.map { $0.name.string(in: text) }
      .filter { !Self.fieldNames.contains($0) }
    if let signer = odisDomain?.signer {
      guard try authorizationKey().address == signer else {
        throw .damaged(
          part: "the field nonce or odisDomain.address (the one does not give the other)")
      }
    }
  }

  private static let fieldNames: Set<String> = [
    "version", "encryptedData", "nonce", "odisDomain", "encryptedFuseKey",
    "computationalHardening", "environment", "metadata",
  ]
}

extension CeloHardening {
  fileprivate init(_ field: CeloField, in text: RawSpan) throws(ForeignBackupError) {
    let fields = try field.fields(in: text)
    func number(_ name: StaticString, else standard: Int?) throws(ForeignBackupError) -> Int {
      if let standard, try fields.field(name, in: text) == nil { return standard }
      // Below 2^53.
      return try Int(fields.required(name, in: text).number(in: text))
    }
    let function = try fields.required("function", in: text)
    switch try function.text(in: text) {
    case "pbkdf2_sha256": self = .pbkdf2(iterations: try number("iterations", else: nil))
    case "scrypt":
      self = .scrypt(
        cost: try number("cost", else: nil),
        blockSize: try number("blockSize", else: Self.standardBlockSize),
        parallelization: try number("parallelization", else: Self.standardParallelization))
    default: throw .unsupported(part: function.part)
    }
    try check()
  }
}

extension CeloBackup.Environment {
  fileprivate init(_ field: CeloField, in text: RawSpan) throws(ForeignBackupError) {
    let fields = try field.fields(in: text)
    func pair(
      _ name: StaticString, _ url: StaticString, _ key: StaticString
    ) throws(ForeignBackupError) -> (String, String)? {
      guard let service = try fields.field(name, in: text)?.fields(in: text) else { return nil }
      return (
        try service.required(url, in: text).text(in: text),
        try service.required(key, in: text).text(in: text)
      )
    }
    self.init()
    odis = try pair("odis", "odisUrl", "odisPubKey")
    circuitBreaker = try pair("circuitBreaker", "url", "publicKey")
  }
}
