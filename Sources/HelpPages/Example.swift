/// A command line that help and manual pages show.
package struct Example: Sendable {
  /// Its purpose, without a full stop.
  package let purpose: String
  /// The command line.
  package let command: String

  /// The examples of a command.
  ///
  /// - Parameter path: its words after `keybackup`.
  /// - Returns: none where there is no such command.
  package static func of(_ path: [String]) -> [Example] {
    all[path.joined(separator: " ")] ?? []
  }

  /// The commands that have examples.
  package static var commands: [String] { Array(all.keys) }

  private init(_ purpose: String, _ command: String) {
    self.purpose = purpose
    self.command = command
  }

  private static let all = [
    backup, wallets, files, watching, waysIn, securityKeys, nostr, foreign,
  ].reduce(into: [String: [Example]]()) { all, some in all.merge(some) { $1 } }

  // MARK: Backups of other programs

  private static let foreign = [
    "foreign sealvault find": [
      Example("List what a folder claims to have", "keybackup foreign sealvault find ~/iCloud"),
      Example("Read the list in a program", "keybackup foreign sealvault find ~/iCloud --json"),
    ],
    "foreign sealvault open": [
      Example(
        "Decrypt a backup into a folder",
        "keybackup foreign sealvault open backup.zip --kdf-secret secret.txt --out wallet"),
      Example(
        "Put it straight into your backup",
        "keybackup foreign sealvault open backup.zip --desktop-keyring --add"),
    ],
    "foreign sealvault verify": [
      Example(
        "Check a backup, and type its password",
        "keybackup foreign sealvault verify backup.zip --kdf-secret secret.txt"),
      Example(
        "Check one whose KDF secret a security key gives",
        "keybackup foreign sealvault verify backup.zip --security-key"),
    ],
    "foreign sealvault write": [
      Example(
        "Write a database, with a new password",
        "keybackup foreign sealvault write app.sqlite3 ~/iCloud --device-id laptop "
          + "--security-key --new-password password.txt"),
      Example(
        "Write it again, later",
        "keybackup foreign sealvault write app.sqlite3 ~/iCloud --device-id laptop "
          + "--security-key --password-file password.txt"),
    ],
    "foreign sealvault disable": [
      Example(
        "Delete the backups of a device",
        "keybackup foreign sealvault disable ~/iCloud --device-id laptop"),
      Example(
        "Delete its KDF secret in the keyring too, unasked",
        "keybackup foreign sealvault disable ~/iCloud --device-id laptop --desktop-keyring --yes"),
    ],
    "foreign celo open": [
      Example(
        "Open what a password and scrypt protect",
        "keybackup foreign celo open backup.json --out words.txt"),
      Example(
        "Open with the circuit breaker's key",
        "keybackup foreign celo open backup.json --breaker-key breaker.pem --out words.txt"),
    ],
    "foreign celo inspect": [
      Example("See what opens a file", "keybackup foreign celo inspect backup.json"),
      Example("Read it in a program", "keybackup foreign celo inspect backup.json --json"),
    ],
    "foreign celo request": [
      Example(
        "Ask how many tries are used up", "keybackup foreign celo request backup.json"),
      Example(
        "End all tries", "keybackup foreign celo request backup.json --kind disable"),
    ],
    "foreign celo write": [
      Example(
        "Write a file for Celo's program",
        "keybackup foreign celo write words.txt --out backup.json"),
      Example(
        "Take the password from a file",
        "keybackup foreign celo write words.txt --out backup.json --password-file password"),
    ],
    "foreign world open": [
      Example(
        "Write everything into a folder",
        "keybackup foreign world open w.bin --metadata m.json --security-key --out w"),
      Example(
        "Add everything to your backup",
        "keybackup foreign world open w.bin --metadata m.json --factor-secret f --add"),
    ],
    "foreign world verify": [
      Example(
        "Check an archive, with the passkey on a key",
        "keybackup foreign world verify w.bin --metadata m.json --security-key"),
      Example(
        "Check it with a factor secret",
        "keybackup foreign world verify w.bin --metadata m.json --factor-secret f"),
    ],
    "foreign world id": [
      Example("Print the ID", "keybackup foreign world id --root-secret root_secret.json"),
      Example(
        "Print that of an archive",
        "keybackup foreign world id w.bin --metadata m.json --security-key"),
    ],
    "foreign world reset-proof": [
      Example(
        "Sign what the server sent",
        "keybackup foreign world reset-proof --root-secret r --challenge base64:QQ=="),
      Example(
        "Sign the bytes of a file",
        "keybackup foreign world reset-proof --root-secret r --challenge file:c.bin"),
    ],
  ]

  // MARK: Watched files

  private static let watching = [
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

  // MARK: The backup

  private static let backup = [
    // The program's own page.
    "": [
      Example("Start a backup", "keybackup init ~/Nextcloud/keybackup"),
      Example("Put a wallet in it", "keybackup wallet add --name Savings --network bitcoin"),
    ],
    "init": [
      Example(
        "Start a backup in a synced folder", "keybackup init ~/Nextcloud/keybackup --label blue"),
      Example(
        "Keep no credential on the key", "keybackup init ~/Nextcloud/keybackup --non-discoverable"),
    ],
    "status": [
      Example("See whether all is well", "keybackup status"),
      Example("Ask whether another place has everything", "keybackup status --synchronised"),
    ],
    "restore": [
      Example("See what could be restored", "keybackup restore"),
      Example("Write every wallet to a folder", "keybackup restore --out restored --names"),
      Example(
        "Do it with the code of a recovery kit",
        "keybackup restore --recovery-code --out restored --names"),
    ],
    "verify": [
      Example("Check the files without a key", "keybackup verify"),
      Example("Decrypt and check every record", "keybackup verify --deep"),
    ],
    "unlock": [
      Example("Need no touch for ten minutes", "keybackup unlock"),
      Example("Need no touch for two hours", "keybackup unlock --for 2h"),
      Example("Keep the key in the desktop's keyring", "keybackup unlock --keep"),
    ],
    "lock": [
      Example("Forget the key of this backup", "keybackup lock"),
      Example("Forget the keys of every backup", "keybackup lock --all"),
    ],
    "rotate": [
      Example("Give the key that is plugged in a new secret", "keybackup rotate"),
      Example("Lock out a lost key for good", "keybackup rotate --master-key"),
    ],
    "doctor": [
      Example("Check everything", "keybackup doctor"),
      Example("Check one key, for a program", "keybackup doctor --device /dev/hidraw3 --json"),
    ],
    "config show": [
      Example("See which settings are in force", "keybackup config show"),
      Example("Read them in a program", "keybackup config show --json"),
    ],
    "writers request": [
      Example("Ask for this computer", "keybackup writers request --label node"),
      Example("Show the line to a camera", "keybackup writers request --qr"),
    ],
    "writers authorise": [
      Example("Authorise this computer", "keybackup writers authorise"),
      Example("Authorise another one by its line", "keybackup writers authorise LINE"),
    ],
    "writers accept": [
      Example("Accept the other computer's answer", "keybackup writers accept LINE"),
      Example("Read it from a file", "keybackup writers accept - <answer.txt"),
    ],
    "writers list": [
      Example("See which computers wrote to the backup", "keybackup writers list"),
      Example("Read the list in a program", "keybackup writers list --json"),
    ],
    "writers retire": [
      Example("Retire a computer by its name", "keybackup writers retire old-laptop"),
      Example("Retire it by its writer ID", "keybackup writers retire 3f1c9a02"),
    ],
  ]

  // MARK: Files

  private static let files = [
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

  // MARK: Wallets

  private static let wallets = [
    "wallet add": [
      Example(
        "Type the recovery words at a hidden prompt",
        "keybackup wallet add --name Savings --network bitcoin"),
      Example(
        "Add a watch-only wallet",
        "keybackup wallet add --name Shop --network bitcoin --xpub shop.txt"),
    ],
    "wallet import": [
      Example("Import what the Cove wallet exported", "keybackup wallet import --covb cove.covb"),
      Example(
        "Import Bitcoin Core's descriptors",
        "keybackup wallet import --format descriptors --name Core --network bitcoin core.json"),
    ],
    "wallet export": [
      Example(
        "Watch a wallet with Bitcoin Core",
        "keybackup wallet export Savings --format descriptors --out savings.json"),
      Example("Write all wallets for Cove", "keybackup wallet export --covb all.covb"),
    ],
    "wallet list": [
      Example("List the wallets", "keybackup wallet list"),
      Example("List them for a program, asking nobody", "keybackup wallet list --json --no-input"),
    ],
    "wallet show": [
      Example("Show a wallet without its secret", "keybackup wallet show Savings"),
      Example("Show the secret too", "keybackup wallet show Savings --reveal"),
    ],
    "wallet remove": [
      Example("Remove a wallet", "keybackup wallet remove Savings"),
      Example("Remove one by its ID, unasked", "keybackup wallet remove 7021abcf --yes"),
    ],
    "conflicts list": [
      Example("Show every version", "keybackup conflicts list"),
      Example("Read them in a program", "keybackup conflicts list --json"),
    ],
    "conflicts keep": [
      Example("Keep one version", "keybackup conflicts keep Savings 5d41402a"),
      Example(
        "Name the wallet by its ID", "keybackup conflicts keep 7021abcf 5d41402a"),
    ],
  ]

  // MARK: Ways in

  private static let waysIn = [
    "key list": [
      Example("List the ways into the backup", "keybackup key list"),
      Example("Read the list in a program", "keybackup key list --json"),
    ],
    "key add": [
      Example("Enrol a spare key", "keybackup key add --label safe"),
      Example(
        "Say which key opens the backup",
        "keybackup key add --unlock-device /dev/hidraw1 --device /dev/hidraw3"),
    ],
    "key identify": [
      Example("Tell which key this is", "keybackup key identify"),
      Example("Wait a minute for a key", "keybackup key identify --wait 60"),
    ],
    "key label": [
      Example("Give a key another name", "keybackup key label blue \"desk drawer\""),
      Example("Name it by its ID", "keybackup key label 63614d18 safe"),
    ],
    "key remove": [
      Example("Remove a key that was lost", "keybackup key remove blue"),
      Example("Remove one by its ID, unasked", "keybackup key remove 63614d18 --yes"),
    ],
    "key repair": [
      Example("Repair the files of the ways in", "keybackup key repair"),
      Example(
        "Replace another program's file too", "keybackup key repair --replace-cspp-envelope"),
    ],
    "recovery-kit create": [
      Example("Make a page to print", "keybackup recovery-kit create --out kit.html"),
      Example(
        "Make a kit that needs no synced folder",
        "keybackup recovery-kit create --out kit.html --offline kit.json"),
    ],
    "recovery-kit test": [
      Example("Type the code from the page", "keybackup recovery-kit test"),
      Example("Test an offline kit", "keybackup recovery-kit test --recovery-kit kit.json"),
    ],
    "recovery-kit revoke": [
      Example("Revoke a kit by its name", "keybackup recovery-kit revoke \"Recovery kit\""),
      Example("Revoke one by its ID, unasked", "keybackup recovery-kit revoke 9be0c15a --yes"),
    ],
  ]

  // MARK: Security keys

  private static let securityKeys = [
    "devices": [
      Example("List the keys in reach", "keybackup devices"),
      Example("Wait a minute for a key to appear", "keybackup devices --wait 60"),
    ],
    "pin set": [
      Example("Type the new key's first PIN", "keybackup pin set"),
      Example("Read it from a file", "keybackup pin set --new-pin-file new.pin"),
    ],
    "pin change": [
      Example("Type the PIN and the new PIN", "keybackup pin change"),
      Example(
        "Read both from files", "keybackup pin change --pin-file old.pin --new-pin-file new.pin"),
    ],
    "credential create": [
      Example("Make a credential for derive", "keybackup credential create"),
      Example(
        "Make one that takes no slot on the key", "keybackup credential create --non-discoverable"),
    ],
    "credential list": [
      Example("List the credentials of a key", "keybackup credential list"),
      Example("List those for derive", "keybackup credential list --rp-id keybackup-derive:"),
    ],
    "credential delete": [
      Example("Delete a credential", "keybackup credential delete q83vASNFZ4k"),
      Example("Delete one of a backup", "keybackup credential delete --force q83vASNFZ4k"),
    ],
    "derive": [
      Example(
        "Unlock an encrypted disk",
        "keybackup derive --salt disk --encoding raw | "
          + "cryptsetup open /dev/sdb1 data --key-file -"),
      Example(
        "Write a secret to a new file",
        "keybackup derive --salt app --pin-file pin.txt --out app.key"),
    ],
  ]

  // MARK: Nostr

  private static let nostr = [
    "nostr create": [
      Example("Make an identity", "keybackup nostr create"),
      Example(
        "Make it on one of several keys", "keybackup nostr create --device /dev/hidraw3"),
    ],
    "nostr pubkey": [
      Example("Print the npub", "keybackup nostr pubkey"),
      Example("Print that of identity 2", "keybackup nostr pubkey --index 2"),
    ],
    "nostr derive": [
      Example("Print two numbered identities", "keybackup nostr derive --index 1 --index 2"),
      Example("Print that of a passphrase", "keybackup nostr derive --passphrase"),
    ],
    "nostr sign": [
      Example("Sign an event from a file", "keybackup nostr sign note.json"),
      Example("Sign as identity 2", "keybackup nostr sign --index 2 <note.json"),
    ],
    "nostr export": [
      Example("Write the secret key to a new file", "keybackup nostr export --out nsec.txt"),
      Example("Show it on the terminal", "keybackup nostr export --reveal"),
    ],
    "nostr list": [
      Example("List the known identities", "keybackup nostr list"),
      Example("Bring those of the backup", "keybackup nostr list --from-backup"),
    ],
    "nostr save": [
      Example("Keep the list in the backup", "keybackup nostr save"),
      Example("Do it for a program", "keybackup nostr save --json"),
    ],
    "nostr encode": [
      Example(
        "Write a public key as an npub",
        "keybackup nostr encode "
          + "7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e"),
      Example(
        "Write a secret key as an nsec",
        "keybackup nostr encode --secret key.txt --out nsec.txt"),
    ],
    "nostr decode": [
      Example(
        "Write an npub as hex digits",
        "keybackup nostr decode "
          + "npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg"),
      Example(
        "Write a secret key as hex digits",
        "keybackup nostr decode --secret nsec.txt --out key.txt"),
    ],
    "nostr validate": [
      Example(
        "Check an npub",
        "keybackup nostr validate "
          + "npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg"),
      Example("Check what a file holds", "keybackup nostr validate - <nsec.txt"),
    ],
  ]
}
