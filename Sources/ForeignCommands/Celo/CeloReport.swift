package import CommandKit
package import ForeignBackups
internal import SecretMemory

/// The claims of a file of Celo's encrypted backup.
struct CeloReport {
  private let backup: CeloBackup
  /// Unix seconds, from which the fastest schedule is counted.
  private let now: UInt64

  /// Takes a file.
  init(_ backup: CeloBackup, at now: UInt64) {
    self.backup = backup
    self.now = now
  }

  /// The fate of the service.
  static let serviceGone =
    "Celo's ODIS is gone: no service answers for such files"

  /// The parts of the file that harden the key, as JSON has them.
  private var hardenings: [String] {
    var found: [String] = []
    if backup.odisDomain != nil { found.append("odis") }
    if backup.encryptedFuseKey != nil { found.append("circuit-breaker") }
    switch backup.hardening {
    case .pbkdf2: found.append("pbkdf2")
    case .scrypt: found.append("scrypt")
    case nil: break
    }
    return found
  }

  private var needs: [String] {
    var needs = ["password"]
    if backup.encryptedFuseKey != nil { needs.append("fuse-key") }
    if backup.odisDomain != nil { needs.append("odis-output") }
    return needs
  }

  private var quota: SequentialDelayQuota? { backup.odisDomain?.quota(from: now) }

  // MARK: Text

  /// A line, and what stands before it.
  struct Line {
    let label: String
    let text: String
  }

  /// The report for people.
  var lines: [Line] {
    var lines = [
      Line(label: "Format", text: "Celo encrypted backup, version \(CeloBackup.version)"),
      Line(
        label: "Data", text: "\(PrintableSize.text(UInt64(backup.dataSize))), AES-256-GCM"),
      Line(label: "Hardened by", text: hardeningWords),
      Line(label: "To open it", text: needWords),
    ]
    lines += odisLines
    if let breaker = backup.environment.circuitBreaker {
      lines.append(Line(label: "Breaker", text: "\(Self.claim(breaker.url)) (a claim)"))
    }
    if let metadata = backup.metadata {
      lines.append(Line(label: "Metadata", text: "\(Self.claim(metadata)) (a claim)"))
    }
    if !backup.unknownFields.isEmpty {
      let names = backup.unknownFields.prefix(5).map { PrintableText.name($0, limit: 40) }
      lines.append(
        Line(
          label: "Unknown",
          text: names.joined(separator: ", ")
            + (backup.unknownFields.count > names.count ? " and more" : "")))
    }
    return lines
  }

  private var odisLines: [Line] {
    guard let domain = backup.odisDomain, let quota else { return [] }
    var lines = [
      Line(label: "Tries", text: tryWords(quota)),
      Line(label: "Domain hash", text: Hex.string(domain.hash)),
      Line(
        label: "Signed by",
        text: domain.signer.map { "\($0.text), which the nonce gives: anyone who has the file" }
          ?? "nobody: requests need no signature"),
    ]
    if let odis = backup.environment.odis {
      lines.append(Line(label: "ODIS", text: "\(Self.claim(odis.url)) (a claim)"))
    }
    return lines
  }

  private var hardeningWords: String {
    var words: [String] = []
    if backup.odisDomain != nil { words.append("ODIS") }
    if backup.encryptedFuseKey != nil { words.append("a circuit breaker's fuse key") }
    switch backup.hardening {
    case .pbkdf2(let iterations): words.append("PBKDF2 (\(iterations) iterations)")
    case .scrypt(let cost, let blockSize, let parallelization):
      words.append("scrypt (N \(cost), r \(blockSize), p \(parallelization))")
    case nil: break
    }
    guard !words.isEmpty else {
      return "nothing: anybody who can write to the folder may have planted it"
    }
    return words.joined(separator: ", ")
  }

  private var needWords: String {
    var words = ["the password or PIN"]
    if backup.encryptedFuseKey != nil {
      words.append("the fuse key or the circuit breaker's RSA key")
    }
    if backup.odisDomain != nil { words.append("the output of ODIS") }
    return words.joined(separator: "; ")
      + (backup.odisDomain == nil ? "" : ". \(Self.serviceGone).")
      + (backup.isHardened ? "" : "; and --unhardened")
  }

  private func tryWords(_ quota: SequentialDelayQuota) -> String {
    guard quota.queries < UInt64(Int.max) else { return "more than can be counted" }
    let tenths = quota.seconds / 360
    return "\(quota.tries) after the one that made the backup, the last \(quota.seconds) seconds "
      + "(\(tenths / 10).\(tenths % 10) hours) after the first at the earliest; then none, ever. "
      + "A right one counts too."
  }

  /// The stages; nil without ODIS.
  var table: Table? {
    guard let domain = backup.odisDomain, !domain.stages.isEmpty else { return nil }
    return Table(
      columns: ["STAGE", "SECONDS", "TRIES", "TIMES", "TIMER"].map { Table.Column($0) },
      rows: domain.stages.enumerated().map { number, stage in
        [
          String(number + 1), String(stage.delay), String(stage.batch), String(stage.batches),
          stage.resets ? "from the try" : "from when it was allowed",
        ]
      })
  }

  private static func claim(_ text: String) -> String { PrintableText.name(text, limit: 200) }

  // MARK: JSON

  /// The report for programs.
  var json: JSONOutput {
    [
      "format": "celo", "version": .string(CeloBackup.version),
      "data_size": .number(backup.dataSize), "hardened": .bool(backup.isHardened),
      "hardening": .array(hardenings.map(JSONOutput.string)),
      "needs": .array(needs.map(JSONOutput.string)), "authenticated": false,
      "computational": backup.hardening?.json ?? .null, "odis": odisJSON,
      "circuit_breaker": breakerJSON, "metadata": .optional(backup.metadata),
      "unknown_fields": .array(backup.unknownFields.prefix(100).map(JSONOutput.string)),
    ]
  }

  private var breakerJSON: JSONOutput {
    guard backup.encryptedFuseKey != nil || backup.environment.circuitBreaker != nil else {
      return .null
    }
    return [
      "fuse_key": .bool(backup.encryptedFuseKey != nil),
      "url": .optional(backup.environment.circuitBreaker?.url),
      "public_key": .optional(backup.environment.circuitBreaker?.publicKey),
    ]
  }

  private var odisJSON: JSONOutput {
    guard let domain = backup.odisDomain, let quota else { return .null }
    return [
      "domain_hash": .string(Hex.string(domain.hash)),
      "address": .optional(domain.signer?.text), "service_gone": true,
      "url": .optional(backup.environment.odis?.url),
      "public_key": .optional(backup.environment.odis?.publicKey),
      "queries": .number(Int(clamping: quota.queries)),
      "tries": .number(Int(clamping: quota.tries)),
      "seconds": .number(Int(clamping: quota.seconds)),
      "schedule": .array(
        domain.schedule(from: now, limit: 1000).map { .number(Int(clamping: $0)) }),
      "stages": .array(
        domain.stages.map { stage in
          [
            "delay": .number(Int(clamping: stage.delay)), "reset_timer": .bool(stage.resets),
            "batch_size": .number(Int(clamping: stage.batch)),
            "repetitions": .number(Int(clamping: stage.batches)),
          ]
        }),
    ]
  }
}

extension CeloHardening {
  /// The function and its costs for programs.
  package var json: JSONOutput {
    switch self {
    case .pbkdf2(let iterations):
      ["function": "pbkdf2_sha256", "iterations": .number(iterations)]
    case .scrypt(let cost, let blockSize, let parallelization):
      [
        "function": "scrypt", "cost": .number(cost), "block_size": .number(blockSize),
        "parallelization": .number(parallelization), "memory": .optional(memory),
      ]
    }
  }
}
