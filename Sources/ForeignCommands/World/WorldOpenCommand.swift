package import ArgumentParser
internal import CSPP
package import CommandKit
internal import CommandSupport
internal import FileCommands
internal import ForeignBackups
internal import SecretMemory
internal import SyncFolders
internal import Unlocking

/// `keybackup foreign world open`: the files and the root secret, into a folder.
package struct WorldOpenCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "open", abstract: "Decrypt a World App archive, into a folder or the backup.",
    discussion: """
      Everything is checked first. Then root_secret.json and each file are written, for you alone. \
      No file is replaced. If the metadata names another list of files, it ends with 89 after that.
      The root secret is the whole account: the wallet and the identity.
      With --security-key and --add, --pin-fd gives a line for each of the two openings. \
      --factor-device then names the key of the passkey, and --device the key of the backup.
      """)

  @OptionGroup var unlock: UnlockOptions

  @Argument(help: ArgumentHelp("The sealed archive; - for standard input.", valueName: "archive"))
  var archive: String

  @OptionGroup var keys: WorldKeyOptions

  @Option(help: ArgumentHelp("The folder to write into.", valueName: "folder"))
  var out: String?

  @OptionGroup var addition: ForeignAdditionOption

  package init() {}

  package mutating func validate() throws {
    if out == "" || out == "-" { throw ValidationError("--out names a folder") }
    guard out != nil || addition.add else {
      throw ValidationError("say where the contents go: --out FOLDER, --add, or both")
    }
    try keys.requireGiven()
    try unlock.refuseUnused(opens: addition.add, usesKey: keys.passkey.securityKey)
    try WorldInputs.check(archive, keys, unlock.pins)
    try unlock.requireOtherInput(than: archive, keys.input)
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    try keys.place.requirePrivate(out, besides: unlock.folder.folder, world)
    let opened = try await OpenedWorld(
      archive, keys, unlock.common, unlock.device, unlock.pins, unlock.folder,
      furtherPINs: addition.add ? ForeignAddition.neededPINs(unlock, world) : 0, world)
    opened.noteOldState(unlock.output(world))
    var result = opened.json()
    var lines: [String] = []
    if let out {
      var written = WrittenWorld(into: try RestoredTree(path: out, world.run), now: world.now())
      do throws(UserMessage) {
        try written.write(opened)
      } catch {
        throw written.count == 0 ? error : error.adding(hint: written.remains(in: out))
      }
      if let obstacle = written.obstacle(in: out) { throw obstacle }
      result["written"] = .number(written.count)
      result["there"] = .number(written.there)
      result["folder"] = .string(out)
      if !written.renamed.isEmpty {
        result["renamed"] = .array(
          written.renamed.map { ["path": .string($0.name), "file": .string($0.path)] })
      }
      lines.append(written.line(in: out))
      written.warn(in: out, unlock.output(world))
    }
    var code = opened.exitCode
    if addition.add {
      var files = ForeignAddition()
      try files.append(opened)
      let added = try await files.add(unlock, writtenTo: out, world)
      result["added"] = added.json
      if code == .success { code = added.exitCode }
      if !unlock.common.json { try added.show(unlock.output(world)) }
    }
    try report(opened, result, lines, world)
    return code
  }

  private func report(
    _ opened: borrowing OpenedWorld, _ result: JSONOutput, _ lines: [String], _ world: World
  ) throws(UserMessage) {
    let output = unlock.output(world)
    let change = "the files were \(addition.add ? "added" : "written") all the same"
    guard !unlock.common.json else { return try output.result(json: result, ofChange: change) }
    try opened.show(output)
    for line in lines { try output.result(line, json: [:], ofChange: change) }
    if out != nil { output.note(ForeignAddition.plainNote) }
  }
}

/// The files of an archive that are written into a folder.
struct WrittenWorld {
  private let tree: RestoredTree
  private let now: UInt64
  /// How many were written.
  private(set) var count = 0
  /// How many were there before, with the same contents.
  private(set) var there = 0
  /// Those of them that others may read.
  private var open: [String] = []
  /// Paths that something else has.
  private var taken: [String] = []
  /// Files that could not be written, and why.
  private var refused: [(name: String, message: UserMessage)] = []
  /// Files that have another name than in the archive, because the file system cannot have that one.
  private(set) var renamed: [(name: String, path: String)] = []

  /// - Parameters:
  ///   - tree: the folder.
  ///   - now: the time that the files get, Unix seconds.
  init(into tree: RestoredTree, now: Int64) {
    self.tree = tree
    self.now = UInt64(max(0, now))
  }

  /// Writes every file, and the root secret last.
  ///
  /// - Throws: `cannot-create`, `io`, `interrupted`.
  mutating func write(_ opened: borrowing OpenedWorld) throws(UserMessage) {
    tree.reserve(
      opened.archive.files.map { $0.path.components.map(\.text).joined(separator: "/") }
        + [WorldArchive.rootSecretName])
    for file in opened.archive.files {
      let contents: SecretBytes
      do throws(ForeignBackupError) {
        contents = try opened.archive.contents(of: file)
      } catch {
        throw UserMessage(error)
      }
      try write(file.path.components.map(\.text), contents)
    }
    try write([WorldArchive.rootSecretName], opened.archive.rootSecretText())
  }

  private mutating func write(
    _ path: [String], _ contents: borrowing SecretBytes
  ) throws(UserMessage) {
    try Interruption.check()
    let attributes = contents.withBytes { bytes in
      RestoredTree.Attributes(
        size: UInt64(bytes.byteCount), modified: now, mode: 0o600, content: Digest(of: bytes))
    }
    let placed = try tree.write(path.last ?? "", in: Array(path.dropLast()), attributes) {
      (sink, _) throws(UserMessage) in
      try contents.withBytes { (bytes) throws(UserMessage) in try sink(bytes) }
    }
    let name = path.joined(separator: "/")
    switch placed {
    case .written(let path):
      count += 1
      if path != name { renamed.append((name, path)) }
    case .there(let path):
      there += 1
      if path != name { renamed.append((name, path)) }
      if FileCheck.isOpenToOthers("\(tree.path)/\(path)") { open.append(path) }
    case .taken: taken.append(name)
    case .refused(let message): refused.append((name, message))
    }
  }

  /// The result as a line.
  func line(in folder: String) -> String {
    let before =
      there == 0 ? "" : " \(counted(there, "file")) \(there == 1 ? "was" : "were") there."
    return "Wrote \(counted(count, "file")) to \(ShellWord.quoted(folder)).\(before)"
  }

  /// A hint about the files that were written when not all could be.
  func remains(in folder: String) -> String {
    "\(counted(count, "file")) \(count == 1 ? "was" : "were") written to "
      + "\(ShellWord.quoted(folder)) before: what is there holds unencrypted secrets"
  }

  /// Says which files have another name, and which ones were there before, where others may read them.
  func warn(in folder: String, _ output: Output) {
    output.warn(renamed: renamed)
    for name in open {
      let path = "\(folder)/\(name)"
      output.warn("keybackup: others can read \(ShellWord.quoted(path)), which was there before")
      output.warn("hint: " + KeptPermissions.advice(path))
    }
  }

  /// The error about files that could not be written, or whose names something else has.
  func obstacle(in folder: String) -> UserMessage? {
    if let first = refused.first {
      return UserMessage(
        .partial,
        "\(counted(refused.count + taken.count, "file")) of the archive could not be written to "
          + "\(ShellWord.quoted(folder)): \(first.message.message)",
        hint: "all other files were written; choose another place for --out")
    }
    guard !taken.isEmpty else { return nil }
    // The root secret comes last, and matters most.
    let root = taken.filter { $0 == WorldArchive.rootSecretName }
    let names = root + taken.filter { $0 != WorldArchive.rootSecretName }
    let shown = names.prefix(5).map { ShellWord.quoted($0) }.joined(separator: ", ")
    return UserMessage(
      .cannotCreate,
      "\(counted(taken.count, "file")) of the archive could not be written to "
        + "\(ShellWord.quoted(folder)), because something else has the name: \(shown)"
        + (names.count > 5 ? " and \(names.count - 5) more" : ""),
      hint: "nothing was overwritten, and all other files were written; choose an empty folder")
  }
}
