internal import ArgumentParser
internal import CSPP
package import CommandKit
internal import CommandSupport
package import SecretMemory
internal import SecurityKeys
package import Unlocking

/// `--add`, of every command that opens another program's backup.
package struct ForeignAdditionOption: ParsableArguments {
  @Flag(help: "Put what comes out into the backup, as files.")
  package var add = false

  package init() {}
}

/// Files out of another program's backup, on their way into this one.
///
/// They stay in guarded memory: none of them is written to a disk unencrypted.
package struct ForeignAddition: Sendable {
  private var files: [FileAddition.Planned] = []

  package init() {}

  /// Takes a file.
  ///
  /// - Parameters:
  ///   - contents: any bytes, also none.
  ///   - name: its name in the backup; a file that this computer added under that name gets a new
  ///     version.
  /// - Throws: `usage` for what cannot be a name.
  package mutating func append(_ contents: consuming SecretBytes, name: String) throws(UserMessage)
  {
    files.append(try FileAddition.Planned(contents, name: name))
  }

  /// Adds all files, with the same touch or without one as `file add` does it.
  ///
  /// - Parameters:
  ///   - unlock: which backup, and what opens it.
  ///   - folder: where they were written before, unencrypted; nil: nowhere.
  ///   - world: what surrounds the process.
  /// - Returns: what became of each.
  /// - Throws: as `keybackup file add`, and then says what lies in the folder.
  package func add(
    _ unlock: UnlockOptions, writtenTo folder: String? = nil, _ world: World
  ) async throws(UserMessage) -> AddedFiles {
    do throws(UserMessage) {
      return try await FileAddition.write(files, unlock, FileAddition.Terms(), world)
    } catch {
      guard let folder else { throw error }
      throw error.adding(
        hint: "the files were written to \(ShellWord.quoted(folder)) all the same: they hold "
          + "unencrypted secrets")
    }
  }

  /// How many PINs adding needs from `--pin-fd`: none where no security key is asked.
  ///
  /// - Throws: as naming the folder does.
  package static func neededPINs(_ unlock: UnlockOptions, _ world: World) throws(UserMessage) -> Int
  {
    guard unlock.pins.pinFd != nil, !unlock.recovery.isUsed else { return 0 }
    let quiet = Output(json: unlock.common.json, quiet: true, world)
    let folder = try unlock.folder.opened(world, quiet, unlock.common)
    if try LocalWriterChoice.writer(folder, unlock.folder, world) != nil { return 0 }
    if unlock.noKeyring || unlock.device.device != nil { return 1 }
    let known = (try? CachedMasterKey.inKernel(of: folder, world)) ?? []
    return known.isEmpty && CachedMasterKey.marked(of: folder, world).isEmpty ? 1 : 0
  }

  /// The note about files that were written.
  package static let plainNote =
    "The files hold unencrypted secrets. Move them to where you need them, then delete them."
}
