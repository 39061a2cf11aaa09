internal import ArgumentParser
internal import BackupFolder
internal import CSPP
internal import PRFDevice

/// `keybackup key list`: needs no key.
struct KeyListCommand: ParsableCommand, KeyBackupCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the ways into the backup. Needs no security key.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var folder: FolderOptions
  @OptionGroup var sync: SyncOptions

  func run(in world: World) async throws(UserMessage) -> ExitCode {
    let backup = try await Backup.find(folder, sync, common, world)
    try backup.requireOne(common.output(world))
    let scan = try backup.scan()
    let slots = backup.keySlots(scan)
    if common.json {
      try common.output(world).result(json: ["keys": .array(slots.map(\.json))])
    } else {
      try common.output(world).result(KeySlot.table(slots, hasModels: common.verbose))
    }
    for finding in scan.findings {
      common.output(world).warn("keybackup: \(finding.text)")
    }
    if slots.contains(where: \.isUnconfirmed), !common.json {
      common.output(world).note(
        "Unconfirmed: " + KeySlot.whyUnconfirmed(backup.namespace.hasOpenedWholeLog))
    }
    let incomplete = scan.findings.contains { $0.state == .incomplete }
    return incomplete ? .incomplete : .success
  }
}

extension KeySlot {
  /// The word for its kind.
  var kindWord: String {
    switch kind {
    case .securityKey: "security_key"
    case .csppEnvelope: "cspp_envelope"
    case .recoveryCode: "recovery_code"
    case .unknown(let name): PrintableText.clean(name, limit: 32)
    }
  }

  /// The key slot as the contract's JSON.
  var json: JSONOutput {
    [
      "key_id": .optional(keyID?.hex), "kind": .string(kindWord), "label": .string(label),
      "created_at": .optional(createdAt.flatMap { Int(exactly: $0) }),
      "proved_at": .optional(provedAt.flatMap { Int(exactly: $0) }),
      "aaguid": .optional(aaguid.flatMap { AAGUID($0)?.description }),
      "discoverable": .optional(discoverable),
      "rp_id": .optional(rpID),
      "credential_id": .optional(credentialID.map(CredentialIDArgument.encode)),
      "replaces": .optional(replaces?.hex), "removed": .bool(isRemoved),
      "waiting": .bool(isPending), "enrolled": .optional(isEnrolled),
    ]
  }

  /// Whether nobody can tell without the key if it is enrolled.
  var isUnconfirmed: Bool { isEnrolled == nil && !isRemoved }

  /// Why a key slot is unconfirmed, and what to do.
  ///
  /// - Parameter hasOpenedWholeLog: whether this computer has opened all that could enrol it.
  /// - Returns: sentences.
  static func whyUnconfirmed(_ hasOpenedWholeLog: Bool) -> String {
    hasOpenedWholeLog
      ? "this computer opened the whole log, which does not enrol it. Do not rely on it."
      : "this computer has not seen that it was enrolled. To find out: keybackup verify --deep"
  }

  /// A warning to read before its name is believed.
  private var note: String? {
    if isRemoved { return "removed" }
    switch isEnrolled {
    case false?: return "not enrolled"
    case nil: return "unconfirmed"
    case true?: return isUntestedCode ? "never tested" : isPending ? "not used yet" : nil
    }
  }

  /// Its kind, for a person.
  var kindText: String {
    switch kind {
    case .securityKey: "security key"
    case .csppEnvelope: "other program"
    case .recoveryCode: "recovery kit"
    case .unknown(let name): PrintableText.name(name.replacing("_", with: " "), limit: 32)
    }
  }

  /// The key slots as a table, safe to print.
  fileprivate static func table(_ slots: [KeySlot], hasModels: Bool) -> Table {
    var columns = [
      Table.Column("NAME", least: 20), Table.Column("KIND"), Table.Column("ADDED", rank: 1),
      Table.Column("LAST USED", rank: 2), Table.Column("STATE"), Table.Column("ID"),
    ]
    var rows = zip(ShortID.shown(slots.map { $0.keyID?.hex ?? "-" }), slots).map { id, slot in
      [
        slot.label.isEmpty ? "-" : PrintableText.name(slot.label, limit: 40), slot.kindText,
        PrintableTime.day(slot.createdAt), PrintableTime.day(slot.provedAt), slot.note ?? "ok", id,
      ]
    }
    if hasModels {
      columns += [Table.Column("SLOT ON KEY", rank: 0), Table.Column("MODEL (AAGUID)")]
      for (place, slot) in slots.enumerated() {
        rows[place] += [
          slot.discoverable.map { $0 ? "yes" : "no" } ?? "-",
          slot.aaguid.flatMap { AAGUID($0)?.description } ?? "-",
        ]
      }
    }
    return Table(columns: columns, rows: rows)
  }
}
