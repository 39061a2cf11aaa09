/// Examples of files.
extension Example {
  /// Files.
  static let files = [
    "file add": [
      Example("Add a file, or its new version", "keybackup file add ~/.ssh/id_ed25519"),
      Example(
        "Add standard input", "keybackup file add - --name descriptors.json <descriptors.json"),
    ],
    "file list": [
      Example("List the files", "keybackup file list"),
      Example("List them for a program", "keybackup file list --json"),
    ],
    "file history": [
      Example("List the versions of a file", "keybackup file history channel.backup"),
      Example("Say which computer's file", "keybackup file history node/channel.backup"),
    ],
    "file show": [
      Example("Show what is known of a file", "keybackup file show channel.backup"),
      Example("Read it in a program", "keybackup file show channel.backup --json"),
    ],
    "file restore": [
      Example("Bring a file back", "keybackup file restore channel.backup --out restored"),
      Example(
        "Bring an older version back",
        "keybackup file restore channel.backup --version 5d41402a --out restored"),
    ],
    "file keep": [
      Example("End a conflict", "keybackup file keep channel.backup 5d41402a"),
      Example("Bring a removed file back", "keybackup file keep node/wallet.dat 7021abcf"),
    ],
    "file remove": [
      Example("Remove a file", "keybackup file remove notes.txt"),
      Example("Remove it unasked", "keybackup file remove notes.txt --yes"),
    ],
    "file prune": [
      Example("Give up what is old enough", "keybackup file prune"),
      Example("Keep three newer versions", "keybackup file prune --keep 3"),
    ],
  ]

  /// Watched files.
  static let watching = [
    "file watch": [
      Example(
        "Back up a node's channels at every change",
        "keybackup file watch ~/.lnd/data/chain/bitcoin/mainnet/channel.backup"),
      Example("Back up what has changed, from cron", "keybackup file watch --once"),
    ],
    "file suggest": [
      Example("See what is worth a backup here", "keybackup file suggest"),
      Example("See every file that is known, for a program", "keybackup file suggest --all --json"),
    ],
  ]
}
