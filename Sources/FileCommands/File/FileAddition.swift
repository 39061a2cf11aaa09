internal import BackupFolder
package import CSPP
package import CommandKit
internal import CommandSupport

/// The parts of adding files that write nothing.
package enum FileAddition {
  /// A file that is to be added, looked at before any key is asked for.
  package struct Planned: Sendable {
    package let path: String
    package let name: PathComponent
    package let size: UInt64
    let caution: CopyAdvice?
    /// Contents that were read before: `path` is `-` then.
    package let input: HeldInput?
  }

  /// Looks at every file.
  ///
  /// - Throws: as ``FileSource/init(_:as:_:)``; `usage` when two have one name.
  package static func look(
    at paths: [String], name: String?, _ world: World
  ) throws(UserMessage) -> [Planned] {
    var planned: [Planned] = []
    for path in paths {
      let held = path == "-" ? try HeldInput(world.streams) : nil
      let source = try FileSource(path, as: name, input: held, world)
      if let other = planned.first(where: { $0.name == source.name }) {
        throw UserMessage(
          .usage,
          "\(ShellWord.quoted(other.path)) and \(ShellWord.quoted(path)) would have one name in the "
            + "backup",
          hint: "add each by itself, and give one another name: --name NAME")
      }
      planned.append(
        Planned(
          path: path, name: source.name, size: source.size, caution: source.caution, input: held))
    }
    return planned
  }

  /// Chooses the file of the backup that gets a new version.
  struct Choice {
    /// All files of the backup.
    let all: [BackedUpFile]
    private let own: Set<FileID>
    private let host: PathComponent?

    /// - Parameters:
    ///   - files: all files of the backup.
    ///   - writers: the computers that wrote with a key.
    ///   - memory: the files that this computer added.
    ///   - world: the computer's name.
    init(
      _ files: [BackedUpFile], _ writers: [LogWriter], _ memory: AddedFilesMemory, _ world: World
    ) {
      all = files.filter { $0.newest?.by == nil }
      let here = Set(writers.filter(\.isThisComputer).map(\.id))
      own = Set(
        all.filter { file in
          memory.knows(file.id) || file.versions.contains { here.contains($0.operation.writerID) }
        }.map(\.id))
      host = PathComponent(world.hostName)
    }

    /// The file that gets a new version; nil: it is a new one.
    ///
    /// - Parameter name: the name in the backup.
    /// - Returns: the file.
    /// - Throws: `ambiguous` where several have the name, or one that another computer of this name
    ///   may have added.
    func file(_ name: PathComponent) throws(UserMessage) -> FileID? {
      let named = all.filter { $0.newest?.name == name }
      let shown = PrintableText.name(name.text)
      let mine = named.filter { own.contains($0.id) }
      let present = mine.filter { !$0.isRemoved }
      guard present.count < 2 else {
        throw UserMessage(
          .ambiguous, "\(present.count) files are called \"\(shown)\"",
          hint: "name one of them by its ID: --to ID\nto see the IDs: keybackup file list")
      }
      if let first = present.first ?? mine.first { return first.id }
      guard
        let other = named.first(where: { !$0.isRemoved && $0.newest?.label == host && host != nil })
      else { return nil }
      throw UserMessage(
        .ambiguous,
        "a computer of the same name as this one has added a file \"\(shown)\"",
        hint: "to add a version of that file: --to \(other.id.hex.prefix(8))\n"
          + "for a file of its own, give this one another name: --name NAME")
    }
  }
}
