import Foundation
import SecretMemory
import Testing

@testable import CSPP

@Suite("Headers of key slots with guards")
struct GuardedHeaderTests {
  private static let keyID = KeyID(words: [1, 2])

  static func url(_ text: String) throws -> ServiceURL { try #require(ServiceURL(text)) }

  private static func guardID(_ number: Int) -> GuardID { GuardID(words: [9, UInt64(number)]) }

  private static func filled(_ value: Int, _ count: Int = 32) -> [UInt8] {
    [UInt8](repeating: UInt8(value), count: count)
  }

  static func pin(
    guards count: Int = 3, needed: Int = 2, schedule: DelaySchedule = .pin
  ) throws -> KeyHeader.GuardedPIN {
    try KeyHeader.GuardedPIN(
      nonce: filled(1), needed: needed, schedule: schedule,
      stretching: PINStretching(salt: filled(2, 16), kibibytes: 65_536, passes: 3),
      guards: (0..<count).map { place in
        KeyHeader.GuardedPIN.Guard(
          guardID: guardID(place), url: try url("https://guard\(place).example:8443"),
          oprfKey: filled(16 + place), maskedShare: filled(64 + place))
      })
  }

  static func login(
    guards count: Int = 3, needed: Int = 2, clientID: String = "keybackup"
  ) throws -> KeyHeader.GuardedLogin {
    try KeyHeader.GuardedLogin(
      nonce: filled(1), needed: needed, delay: try #require(ReleaseDelay(of: 86_400)),
      issuer: url("https://login.example/realms/home%20one/"), clientID: clientID,
      guards: (0..<count).map { place in
        KeyHeader.GuardedLogin.Guard(
          guardID: guardID(place), url: try url("http://127.0.0.1:\(8080 + place)"),
          maskedShare: filled(64 + place), shareDigest: digest(filled(place)))
      })
  }

  private static func header(_ kind: KeyHeader.Kind) throws -> KeyHeader {
    KeyHeader(
      namespaceID: try Sample.namespaceID(), keyID: keyID, kind: kind, label: "PIN \"ü\"",
      createdAt: 1_800_000_000, replaces: KeyID(words: [3, 4]))
  }

  @Test(
    arguments: [
      .guardedPIN(try pin()), .guardedPIN(try pin(guards: 1, needed: 1, schedule: .password)),
      .guardedPIN(try pin(guards: 16, needed: 9)), .guardedLogin(try login()),
      .guardedLogin(try login(guards: 16, needed: 16)),
    ] as [KeyHeader.Kind])
  func `What is sealed is listed without a secret and opens with it`(kind: KeyHeader.Kind) throws {
    let header = try Self.header(kind)
    #expect(header.isGuarded)
    let own = secret(Self.filled(0x42))
    let file = try KeyWrapper.seal(Sample.masterKey(), secret: own, header: header)
    let wrapper = try KeyWrapper(parsing: file.span, at: Sample.namespaceID())
    #expect(wrapper.header == header)
    #expect(try wrapper.open(secret: own).namespaceID == Sample.namespaceID())
    let wrong = secret(Self.filled(0x43))
    #expect(
      refusal { () throws(CSPPError) in _ = try wrapper.open(secret: wrong) }
        == .authenticationFailed)
  }

  @Test func `The largest header fits into a file of key slots`() throws {
    let long = "https://" + String(repeating: "a.", count: 100) + "example/"
    let url = try Self.url(long + String(repeating: "p", count: 512 - long.utf8.count))
    let guards = (0..<16).map { place in
      KeyHeader.GuardedPIN.Guard(
        guardID: Self.guardID(place), url: url, oprfKey: Self.filled(place),
        maskedShare: Self.filled(place))
    }
    let stretching = try PINStretching(salt: Self.filled(2, 16), kibibytes: 524_288, passes: 16)
    let way = try KeyHeader.GuardedPIN(
      nonce: Self.filled(1), needed: 9, schedule: .pin, stretching: stretching, guards: guards)
    let file = try KeyWrapper.seal(
      Sample.masterKey(), secret: secret(Self.filled(1)), header: Self.header(.guardedPIN(way)))
    #expect(try KeyWrapper(parsing: file.span, at: nil).header.kind == .guardedPIN(way))
  }

  // MARK: Wrong headers

  private static let hex32 = "\"\(String(repeating: "01", count: 32))\""

  private static func guardian(_ number: Int, changing changes: [String: String?] = [:]) -> String {
    let digits = String(repeating: "0\(number)", count: 32)
    let members = [
      ("guard_id", "\"\(digits.prefix(32))\""), ("url", "\"https://g\(number).example\""),
      ("oprf_key", "\"\(digits)\""), ("masked_share", "\"\(digits)\""),
      ("share_digest", "\"\(digits)\""),
    ]
    return String(decoding: Sample.file(members, changes), as: UTF8.self)
  }

  private static func list(_ guards: [String]) -> String { "[\(guards.joined(separator: ","))]" }

  /// Parses a file with the caller's header.
  private func parse(
    _ kind: String, _ changes: [String: String?]
  ) throws -> (KeyHeader.Kind?, CSPPError?) {
    let guards = Self.list((1...3).map { Self.guardian($0) })
    let own =
      kind == "guarded_pin"
      ? [
        ("schedule", "\"pin\""), ("kdf", "\"argon2id\""),
        ("kdf_salt", "\"\(String(repeating: "53", count: 16))\""), ("kdf_memory_kib", "65536"),
        ("kdf_passes", "3"), ("kdf_lanes", "1"),
      ]
      : [
        ("delay", "86400"), ("issuer", "\"https://login.example\""),
        ("client_id", "\"keybackup\""),
      ]
    let header = String(
      decoding: Sample.file(
        [
          ("namespace_id", "\"\(try Sample.namespaceID())\""), ("key_id", "\"\(Self.keyID)\""),
          ("kind", "\"\(kind)\""), ("label", "\"l\""), ("created_at", "1"),
          ("recipient", "\"\(String(repeating: "00", count: 32))\""), ("guard_nonce", Self.hex32),
          ("threshold", "2"), ("guards", guards),
        ] + own, changes), as: UTF8.self)
    let file = try Sample.protected(
      format: "keybackup-key", header: header, body: String(repeating: "x", count: 32),
      key: secret(Sample.prfOutput))
    var parsed: KeyHeader.Kind?
    let error = refusal { () throws(CSPPError) in
      parsed = try KeyWrapper(parsing: file.span, at: nil).header.kind
    }
    return (parsed, error)
  }

  @Test(arguments: ["guarded_pin", "guarded_login"])
  func `A header in JSON of others`(kind: String) throws {
    let (parsed, error) = try parse(kind, ["of_a_newer_program": "[1]"])
    #expect(error == nil)
    switch parsed {
    case .guardedPIN(let way)?:
      #expect(way.threshold == GuardThreshold(of: 3, needing: 2))
      #expect(way.guards.map(\.url.host) == ["g1.example", "g2.example", "g3.example"])
      #expect(way.schedule == .pin && way.stretching.cost.memoryKiB == 65_536)
    case .guardedLogin(let way)?:
      #expect(way.delay.delay == 86_400 && way.issuer.text == "https://login.example")
      #expect(way.guards.map(\.shareDigest.hex).last == String(repeating: "03", count: 32))
    default: Issue.record("\(kind)")
    }
  }

  @Test(arguments: [
    ("schedule", "\"weekly\""), ("kdf", "\"scrypt\""), ("kdf", "7"), ("kdf_lanes", "4"),
  ])
  func `An unknown schedule or derivation is an unknown kind`(field: String, value: String) throws {
    #expect(try parse("guarded_pin", [field: value]).0 == .unknown("guarded_pin"))
    // Whatever else its header holds.
    #expect(
      try parse("guarded_pin", [field: value, "guards": nil, "guard_nonce": "5"]).0
        == .unknown("guarded_pin"))
  }

  private static let wrong: [(kind: String, field: String, value: String)] =
    ["guarded_pin", "guarded_login"].flatMap { kind in
      [
        (kind, "guard_nonce", "\"01\""), (kind, "guard_nonce", "1"),
        (kind, "guard_nonce", hex32.uppercased().replacing("01", with: "AB")),
        (kind, "threshold", "1"), (kind, "threshold", "0"), (kind, "threshold", "4"),
        (kind, "threshold", "\"2\""), (kind, "threshold", "2.0"), (kind, "threshold", "-1"),
        (kind, "threshold", "9223372036854775807"), (kind, "guards", "{}"),
        (kind, "guards", "[]"), (kind, "guards", "[1,2,3]"),
        (kind, "guards", list((0..<17).map { _ in guardian(1) })),
      ]
    } + [
      ("guarded_pin", "schedule", "1"), ("guarded_pin", "kdf_salt", "\"00\""),
      ("guarded_pin", "kdf_memory_kib", "8191"), ("guarded_pin", "kdf_memory_kib", "524289"),
      ("guarded_pin", "kdf_memory_kib", "9223372036854775807"),
      ("guarded_pin", "kdf_memory_kib", "18446744073709551615"),
      ("guarded_pin", "kdf_passes", "0"), ("guarded_pin", "kdf_passes", "17"),
      ("guarded_pin", "kdf_passes", "9223372036854775807"), ("guarded_pin", "kdf_lanes", "\"1\""),
      ("guarded_login", "delay", "2592001"), ("guarded_login", "delay", "-1"),
      ("guarded_login", "issuer", "\"login.example\""), ("guarded_login", "issuer", "null"),
      ("guarded_login", "issuer", "\"http://login.example\""),
      ("guarded_login", "client_id", "\"\""), ("guarded_login", "client_id", "\"a b\""),
      ("guarded_login", "client_id", "\"ä\""), ("guarded_login", "client_id", "5"),
      ("guarded_login", "client_id", "\"\(String(repeating: "c", count: 257))\""),
    ]

  @Test(arguments: wrong)
  func `Fields that are wrong, and fields that are missing`(
    kind: String, field: String, value: String
  ) throws {
    #expect(try parse(kind, [field: value]).1 == .invalidField(field))
    #expect(try parse(kind, [field: nil]).1 == .missingField(field))
    #expect(
      try parse(kind, ["label": "\"l\",\"\(field)\":\(value)"]).1 == .duplicateField("(any)"))
  }

  @Test(arguments: ["guarded_pin", "guarded_login"])
  func `Fields of one guard that are wrong, missing or there twice`(kind: String) throws {
    let own = kind == "guarded_pin" ? "oprf_key" : "share_digest"
    for (field, value) in [
      ("guard_id", "\"01\""), ("guard_id", "7"), ("url", "\"http://g1.example\""),
      ("url", "\"https://user@g1.example\""), ("url", "\"https://g1.example/?q\""), ("url", "1"),
      ("masked_share", "\"0101\""), ("masked_share", "null"), (own, "\"01\""), (own, "{}"),
    ] {
      func guards(_ changes: [String: String?]) -> [String: String?] {
        ["guards": Self.list([Self.guardian(1), Self.guardian(2, changing: changes)])]
      }
      #expect(try parse(kind, guards([field: value])).1 == .invalidField(field))
      #expect(try parse(kind, guards([field: nil])).1 == .missingField(field))
      #expect(
        try parse(kind, guards(["x": "1,\"\(field)\":\(value)"])).1 == .duplicateField("(any)"))
    }
  }

  @Test func `No guard holds two shares, and no OPRF key is there twice`() throws {
    for kind in ["guarded_pin", "guarded_login"] {
      let same = ["guard_id": "\"\(String(repeating: "01", count: 16))\""]
      let guards = Self.list([Self.guardian(1), Self.guardian(2, changing: same)])
      #expect(try parse(kind, ["guards": guards]).1 == .invalidField("guard_id"))
    }
    let guards = Self.list([Self.guardian(1), Self.guardian(2, changing: ["oprf_key": Self.hex32])])
    #expect(try parse("guarded_pin", ["guards": guards]).1 == .invalidField("oprf_key"))
    #expect(try parse("guarded_login", ["guards": guards]).1 == nil)
  }

  @Test func `What a program makes is checked like what a file says`() throws {
    #expect(throws: CSPPError.invalidField("threshold")) { try Self.pin(guards: 4, needed: 2) }
    #expect(throws: CSPPError.invalidField("guards")) { try Self.pin(guards: 17, needed: 9) }
    #expect(throws: CSPPError.invalidField("guards")) { try Self.login(guards: 0, needed: 0) }
    #expect(throws: CSPPError.invalidField("client_id")) { try Self.login(clientID: "a\nb") }
    let way = try Self.pin()
    func made(_ nonce: [UInt8], _ guards: [KeyHeader.GuardedPIN.Guard]) -> CSPPError? {
      refusal { () throws(CSPPError) in
        _ = try KeyHeader.GuardedPIN(
          nonce: nonce, needed: 2, schedule: .pin, stretching: way.stretching, guards: guards)
      }
    }
    #expect(made(way.nonce, way.guards) == nil)
    #expect(made([1], way.guards) == .invalidField("guard_nonce"))
    func last(_ oprfKey: [UInt8], _ masked: [UInt8]) -> [KeyHeader.GuardedPIN.Guard] {
      way.guards.dropLast() + [
        .init(
          guardID: way.guards[2].guardID, url: way.guards[2].url, oprfKey: oprfKey,
          maskedShare: masked)
      ]
    }
    #expect(made(way.nonce, last([1], Self.filled(1))) == .invalidField("oprf_key"))
    #expect(made(way.nonce, last(Self.filled(1), [1])) == .invalidField("masked_share"))
  }

  // MARK: A ciphertext for two secrets

  @Test func `A ciphertext that two secrets open is refused to the second one`() throws {
    let header = try String(decoding: headerJSON(), as: UTF8.self)
    let (one, other) = (Self.filled(0x61), Self.filled(0x62))
    let crafted = try Python.run(
      "guarded_slots.py", "two-keys",
      ["values": [["header": header, "secret": Hex.string(one), "other": Hex.string(other)]]])
    let file = try #require(try crafted.list("results").first).base64("file")
    let json = try #require(JSONSerialization.jsonObject(with: Data(file)) as? [String: Any])
    let sealed = try json.base64("ciphertext")
    for slotSecret in [one, other] {
      let key = KeyWrapper.wrappingKey(secret: secret(slotSecret), keyID: Self.keyID)
      let opened = try AEAD.open(
        sealed, key: key, nonce: bytes(hex: json.string("nonce")),
        associatedData: Array(json.string("protected").utf8))
      #expect(opened.count == 32)
    }
    let wrapper = try KeyWrapper(parsing: file.span, at: nil)
    func opening(_ slotSecret: [UInt8]) -> CSPPError? {
      refusal { () throws(CSPPError) in _ = try wrapper.open(secret: secret(slotSecret)) }
    }
    // The first one's recipient is in the header; what is inside is no master key of its namespace.
    #expect(opening(one) == .otherNamespace)
    #expect(opening(other) == .authenticationFailed)
  }

  private func headerJSON() throws -> [UInt8] {
    let file = try KeyWrapper.seal(
      Sample.masterKey(), secret: secret(Self.filled(1)),
      header: Self.header(.guardedPIN(Self.pin())))
    let json = try #require(JSONSerialization.jsonObject(with: Data(file)) as? [String: Any])
    let digits = Array(try json.string("protected").utf8)
    return try #require(unsafe Base64.decode(digits.span.bytes, .url))
  }
}
