internal import BackupFolder
package import CSPP
package import CommandKit
internal import CommandSupport
internal import FoundationEssentials
internal import Glibc
internal import SecretMemory

extension GuardDraft {
  private static let topic = "guard-draft"

  /// The unfinished enrolment of a backup; nil: there is none.
  ///
  /// - Parameters:
  ///   - masterKey: the backup's master key, which opens it.
  ///   - world: has this computer's state.
  /// - Returns: the draft.
  /// - Throws: `config` for a file that cannot be read.
  package static func waiting(
    _ masterKey: borrowing MasterKey, _ world: World
  ) throws(UserMessage) -> GuardDraft? {
    guard let folder = world.guardFolder else { return nil }
    let path = "\(folder)/\(name(masterKey.namespaceID))"
    guard FileCheck.exists(path) else { return nil }
    let sealed = try InputFile.readFile(path, limit: 64 * 1024)
    guard let text = try? SensitiveData.open(sealed, topic: topic, masterKey: masterKey),
      let draft = try? text.withBytes({ (text) throws(CSPPError) in try GuardDraft(text) })
    else {
      throw UserMessage(
        .config, "the unfinished way in in \(ShellWord.quoted(path)) cannot be read",
        hint: "to begin again, move the file away")
    }
    return draft
  }

  /// Whether a way in of any backup is unfinished on this computer, which needs no master key.
  package static func isAnyWaiting(_ world: World) -> Bool {
    guard let folder = world.guardFolder,
      let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
    else { return false }
    return names.contains { $0.hasPrefix(prefix) }
  }

  /// Stores it durably, sealed with the master key.
  ///
  /// - Throws: `config` without a home; `io`.
  package func keep(_ masterKey: borrowing MasterKey, _ world: World) throws(UserMessage) {
    guard let folder = world.guardFolder else {
      throw UserMessage(
        .config, "HOME is not set, so there is no place for an unfinished way in",
        hint: "set HOME or XDG_STATE_HOME")
    }
    do {
      let sealed = try SensitiveData.seal(text(), topic: Self.topic, masterKey: masterKey)
      try PrivateFolder.replace(sealed, as: Self.name(masterKey.namespaceID), in: folder)
    } catch {
      throw UserMessage(
        .io, "the unfinished way in could not be stored in \(ShellWord.quoted(folder))",
        hint: "free some space; no guard was asked")
    }
  }

  /// Removes the stored one.
  package static func forget(_ namespace: NamespaceID, _ world: World) {
    if let folder = world.guardFolder { OutputFile.remove("\(folder)/\(name(namespace))") }
  }

  private static let prefix = "draft-"

  private static func name(_ namespace: NamespaceID) -> String { prefix + namespace.hex }

  // MARK: JSON

  private func text() -> SecretBytes {
    var json = SecretWriter(capacity: 8192)
    json.raw("{\"seed\":\"")
    seed.withBytes { json.hex($0) }
    json.raw("\",\"stretched\":\"")
    stretched.withBytes { json.hex($0) }
    json.raw("\",\"generated\":\"")
    generated.withBytes { json.hex($0) }
    json.raw("\"," + JSONText.object(members).dropFirst())
    return json.finish()
  }

  private var members: [(String, String?)] {
    let common: [(String, String?)] = [
      ("key_id", JSONText.quoted(keyID.hex)), ("label", JSONText.quoted(label)),
      ("replaces", replaces.map { JSONText.quoted($0.hex) }),
      ("threshold", "\(threshold.needed)"), ("guard_nonce", JSONText.quoted(Hex.string(nonce))),
      ("created_at", "\(createdAt)"),
      ("guards", "[" + seats.map(\.json).joined(separator: ",") + "]"),
    ]
    switch terms {
    case .pin(let schedule, let stretching):
      return common + [
        ("schedule", JSONText.quoted(schedule.rawValue)),
        ("kdf_salt", JSONText.quoted(Hex.string(stretching.salt))),
        ("kdf_memory_kib", "\(stretching.cost.memoryKiB)"),
        ("kdf_passes", "\(stretching.cost.passes)"),
      ]
    case .login(let issuer, let clientID, let delay):
      return common + [
        ("issuer", JSONText.quoted(issuer.text)), ("client_id", JSONText.quoted(clientID)),
        ("delay", "\(delay.delay)"),
      ]
    }
  }

  private init(_ text: RawSpan) throws(CSPPError) {
    let object = try JSONObject(parsing: text, duplicates: .refused)
    func secret(_ name: StaticString) throws(CSPPError) -> SecretBytes {
      var bytes = SecretBytes(zeroed: 0)
      let digits = try object.required(name, in: text)
      guard digits.kind == .string, Hex.decode(text.extracting(digits.range), into: &bytes) else {
        throw .invalidField(name.description)
      }
      return bytes
    }
    func word(_ name: StaticString) throws(CSPPError) -> String {
      try object.required(name, in: text).text(name, in: text)
    }
    func number(_ name: StaticString) throws(CSPPError) -> UInt64 {
      try object.required(name, in: text).integer(name, in: text)
    }
    var elements = try JSONElements(try object.required("guards", in: text), field: "guards")
    var seats: [Seat] = []
    while let element = try elements.next(in: text) {
      seats.append(try Seat(JSONObject(element, in: text, duplicates: .refused), in: text))
    }
    guard let threshold = GuardThreshold(of: seats.count, needing: Int(try number("threshold")))
    else { throw .invalidField("threshold") }
    let terms: Terms
    if let schedule = try object.optional("schedule", in: text) {
      guard let schedule = DelaySchedule(rawValue: try schedule.text("schedule", in: text)) else {
        throw .invalidField("schedule")
      }
      terms = .pin(
        schedule,
        try PINStretching(
          salt: try object.required("kdf_salt", in: text)
            .hex("kdf_salt", in: text, count: Argon2id.saltSize),
          kibibytes: Int(try number("kdf_memory_kib")), passes: Int(try number("kdf_passes"))))
    } else {
      guard let issuer = ServiceURL(try word("issuer")),
        let delay = ReleaseDelay(of: try number("delay"))
      else { throw .invalidField("issuer") }
      terms = .login(issuer: issuer, clientID: try word("client_id"), delay)
    }
    self.init(
      keyID: try object.required("key_id", in: text).identifier("key_id", in: text),
      label: try word("label"),
      replaces: try object.optional("replaces", in: text)
        .map { (value) throws(CSPPError) in try value.identifier("replaces", in: text) },
      terms: terms, threshold: threshold,
      nonce: try object.required("guard_nonce", in: text)
        .hex("guard_nonce", in: text, count: KeyHeader.guardNonceSize),
      createdAt: try number("created_at"), seats: seats, seed: try secret("seed"),
      stretched: try secret("stretched"), generated: try secret("generated"))
  }
}

extension GuardDraft.Seat {
  fileprivate var json: String {
    JSONText.object([
      ("guard_id", JSONText.quoted(server.guardID.hex)), ("url", JSONText.quoted(server.url.text)),
      ("invite", invite.map { JSONText.quoted($0) }),
      ("oprf_key", JSONText.quoted(Hex.string(oprfKey))),
      ("masked_share", JSONText.quoted(Hex.string(maskedShare))),
      ("share_digest", shareDigest.map { JSONText.quoted($0.hex) }),
    ])
  }

  fileprivate init(_ object: JSONObject, in text: RawSpan) throws(CSPPError) {
    func bytes(_ name: StaticString) throws(CSPPError) -> [UInt8] {
      let digits = try object.required(name, in: text).text(name, in: text)
      guard let bytes = unsafe Hex.decode(Array(digits.utf8).span.bytes) else {
        throw .invalidField(name.description)
      }
      return bytes
    }
    guard let url = ServiceURL(try object.required("url", in: text).text("url", in: text)) else {
      throw .invalidField("url")
    }
    self.init(
      server: AskedGuard(
        guardID: try object.required("guard_id", in: text).identifier("guard_id", in: text),
        url: url),
      invite: try object.optional("invite", in: text)
        .map { (value) throws(CSPPError) in try value.text("invite", in: text) },
      oprfKey: try bytes("oprf_key"), maskedShare: try bytes("masked_share"),
      shareDigest: try object.optional("share_digest", in: text)
        .map { (value) throws(CSPPError) in try value.identifier("share_digest", in: text) })
  }
}
