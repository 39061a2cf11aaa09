package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import PRFDevice
internal import SecurityKeys
internal import Unlocking

/// `keybackup key identify`: which security key opens what, without PIN and touch.
package struct KeyIdentifyCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "identify",
    abstract: "Tell which plugged-in security key opens the backup.",
    discussion: """
      Needs no PIN and no touch.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var folder: FolderOptions
  @OptionGroup var sync: SyncOptions
  @OptionGroup var relyingParty: BackupRelyingPartyOption

  package init() {}

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let backup = try await Backup.find(folder, sync, common, world)
    try backup.requireOne(world.run, common.output(world))
    let scan = try backup.scan()
    let offers = UnlockOffers(backup.keySlots(scan), backup.rule(relyingParty.rpId))
    let finder = AuthenticatorFinder(
      common, device, PINPolicy(), try SettingsFile.load(world), world)
    let found = try await finder.identify(offers.questions, for: WantedAuthenticator(scan, offers))
    let rows = found.map { Row(descriptor: $0, look: $1, offers: offers) }
    if common.json {
      try common.output(world).result(json: ["keys": .array(rows.map(\.json))])
    } else {
      try common.output(world).result(Row.table(rows))
    }
    if let party = offers.withheld.sorted().first {
      common.output(world).note(
        "A file in this folder names the relying party \(PrintableText.name(party)). No key was "
          + "asked for it (see --rp-id).")
    }
    if rows.contains(where: { !$0.slots.isEmpty }) { return .success }
    return rows.contains(where: \.isUndecided) ? .success : .wrongKey
  }

  /// One security key and what it opens.
  private struct Row {
    let descriptor: AuthenticatorDescriptor
    let look: AuthenticatorLook
    /// The key slots that are this key's.
    let slots: [KeySlot]

    init(descriptor: AuthenticatorDescriptor, look: AuthenticatorLook, offers: UnlockOffers) {
      self.descriptor = descriptor
      self.look = look
      if case .holds(_, let held) = look {
        // Of a credential that is replaced, the key may hold the new one only.
        let sure = held.filter { !$0.isReplaced || $0.credentialID == held[0].credentialID }
        slots = offers.all.filter { sure.contains($0.question) }.map(\.slot)
      } else {
        slots = []
      }
    }

    /// It does not tell without its PIN.
    var isUndecided: Bool { if case .perhaps = look { true } else { false } }

    var json: JSONOutput {
      var value: JSONOutput = [
        "path": .string(descriptor.path), "product": .string(descriptor.product),
        "transport": .string(descriptor.transport.rawValue),
        "opens": isUndecided ? .null : .bool(!slots.isEmpty),
        "key_ids": .array(slots.compactMap { $0.keyID?.hex }.map(JSONOutput.string)),
        "label": .optional(slots.first?.label),
      ]
      if case .failed(let error) = look { value["error"] = .string(error.word) }
      return value
    }

    static func table(_ rows: [Row]) -> Table {
      Table(
        columns: [
          Table.Column("DEVICE"), Table.Column("KEY", least: 12), Table.Column("OPENS", least: 12),
          Table.Column("KEY ID", rank: 1),
        ], rows: rows.map(\.cells))
    }

    private var cells: [String] {
      let opens =
        switch look {
        case .holds: "yes: " + PrintableText.name(slots.first?.label ?? "", limit: 40)
        case .perhaps: "does not tell without its PIN"
        case .holdsNone: "no"
        case .failed(let error): error.message
        }
      return [
        descriptor.path, OpenAuthenticator.name(of: descriptor), opens,
        slots.first?.keyID.map { ShortID.shown([$0.hex])[0] } ?? "-",
      ]
    }
  }
}
