package import ArgumentParser
package import BackupFolder
internal import CSPP
package import CommandKit
internal import PRFDevice
internal import Unlocking

/// `keybackup key list`: needs no key.
package struct KeyListCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the ways into the backup. Needs no security key.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var folder: FolderOptions
  @OptionGroup var sync: SyncOptions

  package init() {}

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let backup = try await Backup.find(folder, sync, common, world)
    try backup.requireOne(world.run, common.output(world))
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
    if !common.json { note(guarded: slots.filter(\.isGuarded), world) }
    let incomplete = scan.findings.contains { $0.state == .incomplete }
    return incomplete ? .incomplete : .success
  }

  /// Says of ways in that need guards whom they need, and that they never count.
  private func note(guarded slots: [KeySlot], _ world: World) {
    let output = common.output(world)
    for slot in slots where !slot.isRemoved {
      guard let threshold = slot.guardThreshold else { continue }
      let hosts = slot.guardURLs.map { PrintableText.name($0.host, limit: 80) }
      output.note(
        "\"\(KeySlotSelector.shown(slot))\" needs \(threshold.needed) of \(threshold.guards) "
          + "guards: " + hosts.joined(separator: ", "))
    }
    if slots.contains(where: { !$0.isRemoved }) {
      output.note("A way in with guards never counts as the second way in.")
    }
    // The earlier one of a renewal is ended instead, as its state says.
    let old = slots.filter { $0.needsRenewal && !$0.isReplaced(in: slots) }
    if old.isEmpty { return }
    output.note("The master key was rotated, so a way in with guards must be renewed.")
    for (slot, id) in zip(old, ShortID.shown(old.map { $0.keyID?.hex ?? "" })) {
      output.note("To renew \"\(KeySlotSelector.shown(slot))\": keybackup guard renew \(id)")
    }
  }
}

extension KeySlot {
  /// The word for its kind.
  var kindWord: String {
    switch kind {
    case .securityKey: "security_key"
    case .csppEnvelope: "cspp_envelope"
    case .recoveryCode: "recovery_code"
    case .guardedPIN: "guarded_pin"
    case .guardedLogin: "guarded_login"
    case .unknown(let name): PrintableText.clean(name, limit: 32)
    }
  }

  /// The key slot as the contract's JSON.
  package var json: JSONOutput {
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
      "guards": isGuarded ? .array(guardURLs.map { .string($0.text) }) : .null,
      "threshold": .optional(guardThreshold?.needed), "needs_renewal": .bool(needsRenewal),
    ]
  }

  /// Whether nobody can tell without the key if it is enrolled.
  var isUnconfirmed: Bool { isEnrolled == nil && !isRemoved }

  /// Why a key slot is unconfirmed, and what to do.
  ///
  /// - Parameter hasOpenedWholeLog: whether this computer has opened all that could enrol it.
  /// - Returns: sentences.
  package static func whyUnconfirmed(_ hasOpenedWholeLog: Bool) -> String {
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
    case true?:
      if needsRenewal { return "renew it" }
      return isUntestedCode ? "never tested" : isPending ? "not used yet" : nil
    }
  }

  /// Which of two ways in with guards it is during a renewal; nil: there is none.
  private func renewal(in slots: [KeySlot]) -> String? {
    guard isGuarded else { return nil }
    let live = slots.filter { !$0.isRemoved && $0.isEnrolled == true }
    if live.contains(where: { $0.replaces != nil && $0.replaces == keyID }) { return "earlier one" }
    return replaces != nil && live.contains { $0.keyID == replaces } ? "new one" : nil
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
        PrintableTime.day(slot.createdAt), PrintableTime.day(slot.provedAt),
        slot.note ?? slot.renewal(in: slots) ?? "ok", id,
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
