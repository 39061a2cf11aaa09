/// Examples of the backup, its wallets and its ways in.
extension Example {
  /// The backup.
  static let backup = [
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
      Example("Lock out a lost key for good, after key remove", "keybackup rotate --master-key"),
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

  /// Wallets.
  static let wallets = [
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
      Example("Show an older version", "keybackup wallet show Savings --version 5d41402a"),
    ],
    "wallet history": [
      Example("List the versions of all wallets", "keybackup wallet history"),
      Example("List those of one wallet, also a removed one", "keybackup wallet history Savings"),
    ],
    "wallet keep": [
      Example("Bring a version back", "keybackup wallet keep Savings 5d41402a"),
      Example("Name the wallet by its ID", "keybackup wallet keep 7021abcf 5d41402a"),
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

  /// Ways in.
  static let waysIn = [
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
}
