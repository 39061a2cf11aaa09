internal import ArgumentParser
internal import BackupFolder
internal import CSPP
internal import FoundationEssentials
internal import PRFDevice

/// `keybackup key list`: needs no key.
struct KeyListCommand: ParsableCommand, KeyBackupCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the ways into the backup. Needs no security key.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var folder: FolderOptions
  @OptionGroup var sync: SyncOptions

  func run(in world: World) async throws(UserMessage) -> ExitCode {
    let scan = try await Backup.find(folder, sync, common, world).scan()
    if common.json {
      try common.output.result(json: ["keys": .array(scan.waysIn.map(\.json))])
    } else {
      let rows = scan.waysIn.map(\.cells)
      for line in Table.lines([["LABEL", "KIND", "ENROLLED", "MODEL (AAGUID)", "KEY ID"]] + rows) {
        try common.output.result(line)
      }
    }
    for finding in scan.findings {
      common.output.warn("keybackup: \(finding.text)")
    }
    let incomplete = scan.findings.contains { $0.state == .incomplete }
    return incomplete ? .incomplete : .success
  }
}

extension WayIn {
  /// The word for its kind.
  fileprivate var kindWord: String {
    switch kind {
    case .securityKey: "security_key"
    case .csppEnvelope: "cspp_envelope"
    case .recoveryCode: "recovery_code"
    case .unknown(let name): PrintableText.clean(name, limit: 32)
    }
  }

  /// The way in as the contract's JSON.
  fileprivate var json: JSONValue {
    [
      "key_id": .optional(keyID?.hex), "kind": .string(kindWord), "label": .string(label),
      "created_at": .optional(createdAt.flatMap { Int(exactly: $0) }),
      // When it was last proved is remembered from a later version on.
      "proved_at": .null,
      "aaguid": .optional(aaguid.flatMap { AAGUID($0)?.description }),
      "discoverable": .optional(discoverable),
      "rp_id": .optional(rpID),
      "credential_id": .optional(credentialID.map(CredentialIDArgument.encode)),
    ]
  }

  /// The way in as a row, safe to print.
  fileprivate var cells: [String] {
    let day = createdAt.map { seconds in
      seconds < 1 << 40
        ? Date(timeIntervalSince1970: Double(seconds))
          .formatted(Date.ISO8601FormatStyle().year().month().day()) : "-"
    }
    return [
      label.isEmpty ? "-" : PrintableText.clean(label, limit: 40), kindWord, day ?? "-",
      aaguid.flatMap { AAGUID($0)?.description } ?? "-", keyID?.hex ?? "-",
    ]
  }
}
