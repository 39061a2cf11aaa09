package import ArgumentParser
package import CommandKit
internal import CommandSupport
internal import ForeignBackups

/// `keybackup foreign sealvault find`: what a folder claims to have, without any secret.
package struct SealVaultFindCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "find", abstract: "List the SealVault backups of a folder, the newest first.",
    discussion: """
      It reads names only, and anybody may have made them up. verify proves what a file is.
      """)

  @OptionGroup var common: CommonOptions

  @Argument(help: ArgumentHelp("The folder with the zip files.", valueName: "folder"))
  var place: String

  package init() {}

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let folder = try SealVaultFolder(place)
    let found = folder.files
    let output = common.output(world)
    if common.json {
      try output.result(json: [
        "backups": .array(found.map(\.json)), "other_zip_files": .number(folder.otherZips),
      ])
    } else if found.isEmpty {
      output.note("No SealVault backups are in \(ShellWord.quoted(place)).")
    } else {
      try output.result(SealVaultFile.table(found))
    }
    if folder.otherZips > 0 {
      output.note(
        "\(counted(folder.otherZips, "other zip file")) \(folder.otherZips == 1 ? "is" : "are") there. "
          + "To see whether one is a backup: keybackup foreign sealvault verify FILE")
    }
    return .success
  }
}

extension SealVaultFile {
  fileprivate var json: JSONOutput {
    [
      "file": .string(file), "state": .string(state.rawValue),
      "device_id": .optional(name?.deviceID), "version": .optional(name.map { Int($0.version) }),
      "timestamp": .optional(name.map { Int($0.timestamp) }),
      "operating_system": .optional(name?.operatingSystem),
    ]
  }

  fileprivate static func table(_ files: [SealVaultFile]) -> Table {
    Table(
      columns: [
        Table.Column("TIME", rank: 2), Table.Column("VERSION"), Table.Column("DEVICE", rank: 3),
        Table.Column("STATE"), Table.Column("FILE"),
      ],
      rows: files.map { one in
        [
          one.name.map { PrintableTime.minute(UInt64($0.timestamp)) } ?? "-",
          one.name.map { String($0.version) } ?? "-", one.name?.deviceID ?? "-",
          one.state.rawValue, PrintableText.name(one.file, limit: 255),
        ]
      })
  }
}
