package import ArgumentParser

/// `keybackup file`: any files, with all their versions.
package struct FileGroup: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "file",
    abstract: "Back up single files, and bring any version back.",
    subcommands: [
      FileAddCommand.self, FileListCommand.self, FileHistoryCommand.self, FileShowCommand.self,
      FileRestoreCommand.self, FileKeepCommand.self, FileRemoveCommand.self, FilePruneCommand.self,
      FileWatchCommand.self, FileSuggestCommand.self,
    ])

  package init() {}
}
