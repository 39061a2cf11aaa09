import Foundation
import SecretMemory

@testable import ForeignBackups

/// Tests/Vectors/foreign/celo.json, made by a Python program from the description of the format.
struct CeloVectors {
  let json: [String: Any]

  init() throws {
    let data = try Data(Vectors.bytes("celo.json"))
    json = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
  }

  /// One file with what its key is made of.
  struct Case {
    let name: String
    let file: [UInt8]
    let finalKey: [UInt8]
    let domainHash: [UInt8]?

    /// The file, read.
    func backup() throws -> CeloBackup {
      try unsafe CeloBackup(parsing: file.span.bytes)
    }
  }

  var cases: [Case] {
    get throws {
      try array("cases").map { item in
        Case(
          name: item["name"] as? String ?? "",
          file: try [UInt8](
            JSONSerialization.data(
              withJSONObject: item["backup_json"] ?? [:],
              options: [.sortedKeys, .withoutEscapingSlashes])),
          finalKey: unhex(item["final_key"]), domainHash: item["domain_hash"].map { unhex($0) })
      }
    }
  }

  func array(_ name: String) -> [[String: Any]] { json[name] as? [[String: Any]] ?? [] }
  func object(_ name: String) -> [String: Any] { json[name] as? [String: Any] ?? [:] }

  /// The inputs, which all cases share.
  func input(_ name: String) -> [UInt8] { unhex(object("inputs")[name]) }
  var password: [UInt8] { Array((object("inputs")["password"] as? String ?? "").utf8) }
  var fuseKey: [UInt8] { input("fuse_key") }
  var odisOutput: [UInt8] { input("odis_poprf_output") }
  var data: [UInt8] { input("data") }

  /// The case with this in its name.
  func oneCase(_ name: String) throws -> Case {
    guard let found = try cases.first(where: { $0.name.contains(name) }) else {
      throw CocoaError(.fileNoSuchFile)
    }
    return found
  }
}

func unhex(_ text: Any?) -> [UInt8] {
  let digits = Array((text as? String ?? "").utf8)
  return unsafe Hex.decode(digits.span.bytes) ?? []
}

/// A domain as a file has it, from its JSON.
func domain(_ object: Any?) throws -> SequentialDelayDomain {
  let text = try [UInt8](
    JSONSerialization.data(withJSONObject: ["odisDomain": object ?? [:]]))
  let fields = try unsafe CeloFields(file: text.span.bytes)
  return try unsafe SequentialDelayDomain(
    fields.required("odisDomain", in: text.span.bytes), in: text.span.bytes)
}

/// Opens a file with what the vectors' files need.
func open(
  _ backup: CeloBackup, _ password: [UInt8], fuseKey: [UInt8] = [], odisOutput: [UInt8] = [],
  allowsUnhardened: Bool = false
) throws(ForeignBackupError) -> [UInt8] {
  let opening = try CeloOpening(
    backup, password: secret(password), fuseKey: secret(fuseKey),
    allowsUnhardened: allowsUnhardened)
  return plain(try opening.open(odisOutput: secret(odisOutput)))
}

/// The error of a closure.
func refusal(_ body: () throws(ForeignBackupError) -> Void) -> ForeignBackupError? {
  do throws(ForeignBackupError) {
    try body()
    return nil
  } catch {
    return error
  }
}

/// The error of reading a file.
func refusal(of file: String) -> ForeignBackupError? {
  let text = Array(file.utf8)
  return refusal { () throws(ForeignBackupError) in
    _ = try unsafe CeloBackup(parsing: text.span.bytes)
  }
}
