package import CommandKit
internal import CommandSupport

/// Where `init` puts a backup when nobody has said: a person chooses among the
/// sync folders of this computer.
package struct FolderChoice: Sendable {
  package let known: KnownSyncFolders
  private let backups: [(place: String, folder: SyncFolder)]
  private let world: World

  package init(_ world: World) {
    self.world = world
    known = KnownSyncFolders.find(world)
    backups = known.backups().found
  }

  /// Asks.
  ///
  /// - Returns: a path; the folder itself need not exist yet.
  /// - Throws: `config` when nobody can be asked, with what was found as the
  ///   hint.
  package func ask(_ prompter: Prompter) throws(UserMessage) -> String {
    guard prompter.canAsk else { throw nobodyChose }
    for line in remarks { prompter.tell(line) }
    let proposals = known.usable.map(proposal)
    if proposals.isEmpty {
      prompter.tell("No folder that a sync program carries was found on this computer.")
      return try another(prompter)
    }
    prompter.tell("Where shall the backup go?")
    let choices = zip(known.usable, proposals).map { folder, path in
      let holds = backups.contains { $0.folder == folder }
      return "\(ShellWord.quoted(path))  (\(folder.title)"
        + (holds ? "; a backup is there already)" : ")")
    }
    guard let choice = try prompter.choice(of: choices + ["another folder"]) else {
      throw nobodyChose
    }
    return choice < proposals.count ? proposals[choice] : try another(prompter)
  }

  private func another(_ prompter: Prompter) throws(UserMessage) -> String {
    guard let typed = try prompter.line("Path of the synced folder: "), !typed.isEmpty else {
      throw nobodyChose
    }
    // As a shell would: the person has no other way to say it here.
    return world.expanded(typed) ?? typed
  }

  /// Where in a sync folder: a subfolder, unless a backup is in the folder
  /// itself.
  private func proposal(_ folder: SyncFolder) -> String {
    backups.first { $0.folder == folder }?.place ?? folder.path + "/" + SyncFolder.subfolder
  }

  /// Why some folders are not offered.
  private var remarks: [String] {
    known.others.map {
      "Not offered: \(ShellWord.quoted($0.path)) (\($0.title)): \($0.obstacle ?? "")."
    }
      + known.silent.map {
        "Not offered: \(ShellWord.quoted($0.path)) (\($0.title)): it does not answer."
      }
  }

  private var nobodyChose: UserMessage {
    let found = known.usable.map { "\(ShellWord.quoted(proposal($0))) (\($0.title))" }
    return UserMessage(
      .config, "no folder for the backup was named",
      hint: found.isEmpty
        ? "no sync program's folder was found here; name your synced folder: keybackup init FOLDER"
        : "sync folders on this computer: " + found.joined(separator: ", ")
          + "\nname one: keybackup init FOLDER")
  }
}

extension FolderOptions {
  /// The folder that is named: by `--folder`, else `$KEYBACKUP_FOLDER`, else keybackup.conf,
  /// else what `init` remembered; nil when none is.
  ///
  /// - Throws: `config` when a file that may name it cannot be used.
  package func configured(_ world: World) throws(UserMessage) -> Setting? {
    try configured(world) { () throws(UserMessage) in try SettingsFile.load(world) }
  }

  /// The same with what could be read of keybackup.conf.
  package func configured(
    _ world: World, reading file: () throws(UserMessage) -> SettingsFile
  ) throws(UserMessage) -> Setting? {
    if let folder { return Setting(name: .folder, value: folder, origin: .option("--folder")) }
    let variable = "KEYBACKUP_FOLDER"
    if let path = world.variable(variable) {
      return Setting(name: .folder, value: path, origin: .variable(variable))
    }
    if let setting = try file()[.folder] { return setting }
    return try Configuration.load(world).folder.map {
      Setting(name: .folder, value: $0, origin: .remembered)
    }
  }

  /// Opens the folder; where it is not there, the advice says what named it.
  ///
  /// - Throws: what `open` throws.
  package func naming<Opened>(
    _ world: World, _ open: () throws(UserMessage) -> Opened
  ) throws(UserMessage) -> Opened {
    do throws(UserMessage) {
      return try open()
    } catch {
      guard error.code == .noInput, let setting = try configured(world),
        !FileCheck.exists(setting.value)
      else { throw error }
      if let advice = FileCheck.unexpanded(setting.value) {
        throw UserMessage(.noInput, error.message, hint: advice + "\ncheck \(setting.place)")
      }
      throw UserMessage(
        .noInput, error.message,
        hint: "is the synced folder mounted? check \(setting.place)" + moved(setting, world))
    }
  }

  /// Advice where the folder is somewhere else now.
  private func moved(_ setting: Setting, _ world: World) -> String {
    switch setting.origin {
    case .file: return "\nif it was moved, write its new path there"
    case .remembered:
      guard let place = world.configurationFolder else { return "" }
      let file = ShellWord.quoted(place + "/" + SettingsFile.name)
      return "\nif it was moved, run this with its new path for NEW: echo 'folder = NEW' >>\(file)"
    default: return ""
    }
  }

  /// The path of the folder that is named; see ``configured(_:)``.
  package func configuredPath(_ world: World) throws(UserMessage) -> String? {
    try configured(world)?.value
  }

  /// The folder's path: ``configuredPath(_:)``, else the one known sync folder that holds a backup: a new
  /// computer finds it by itself.
  ///
  /// - Parameters:
  ///   - world: where they are looked for.
  ///   - output: is told what was found.
  /// - Returns: the path.
  /// - Throws: `config` when there is none, `ambiguous` when several sync
  ///   folders hold one or not all could be searched.
  package func path(_ world: World, _ output: Output) throws(UserMessage) -> String {
    if let path = try configuredPath(world) { return path }
    let known = KnownSyncFolders.find(world)
    guard let found = try Self.onlyBackup(in: known) else { throw Self.noFolder(known, world) }
    output.note("Using the backup in \(ShellWord.quoted(found.place)) (\(found.folder.title)).")
    return found.place
  }

  /// The one backup in the sync folders of a computer that knows of none.
  ///
  /// - Returns: nil: there is none.
  /// - Throws: `ambiguous` when several hold one, or when another one may be in a folder that could
  ///   not be searched.
  package static func onlyBackup(
    in known: KnownSyncFolders
  ) throws(UserMessage) -> (place: String, folder: SyncFolder)? {
    let all = known.backups()
    let found = all.found
    guard all.unsearched.isEmpty else {
      let names = found.map { "--folder \(ShellWord.quoted($0.place)) (\($0.folder.title))" }
      throw UserMessage(
        .ambiguous, "not all sync folders could be searched for a backup",
        hint: all.unsearched.prefix(mostShown).map(\.words).joined(separator: "\n")
          + "\nname the backup's folder with --folder"
          + (names.isEmpty ? "" : "; found: " + names.joined(separator: ", ")))
    }
    guard found.count > 1 else { return found.first }
    throw UserMessage(
      .ambiguous, "\(found.count) sync folders on this computer hold a backup",
      hint: "name one: "
        + found.map { "--folder \(ShellWord.quoted($0.place)) (\($0.folder.title))" }
        .joined(separator: ", "))
  }

  /// The most folders that a message names.
  private static let mostShown = 5

  private static func noFolder(_ known: KnownSyncFolders, _ world: World) -> UserMessage {
    let looked = (known.usable + known.others).map { "\(ShellWord.quoted($0.path)) (\($0.title))" }
    let file = world.configurationFolder.map { ShellWord.quoted($0 + "/" + SettingsFile.name) }
    let name =
      "to open an existing backup: keybackup restore --folder PATH --out FOLDER --names\n"
      + "with any other command, add --folder PATH, too; or name its folder in KEYBACKUP_FOLDER"
      + (file.map { ", or write the line \"folder = PATH\" into \($0)" } ?? "")
      + "\nto start a backup: keybackup init FOLDER"
    return UserMessage(
      .config, "no backup folder is known on this computer",
      hint: looked.isEmpty
        ? name
        : "no backup is in " + looked.joined(separator: ", ") + ", at least not yet\n" + name)
  }
}
