/// Examples of backups of other programs.
extension Example {
  /// Backups of other programs.
  static let foreign = [
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
}
