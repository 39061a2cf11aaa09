/// Examples of security keys, what they derive, and guards.
extension Example {
  /// Security keys.
  static let securityKeys = [
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

  /// Nostr.
  static let nostr = [
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

  /// Guards.
  static let guards = [
    "guard": [
      Example(
        "Make a PIN a way in, with three guards of which two are needed",
        "keybackup guard add --pin --threshold 2 --server https://guard.anna.example "
          + "--server https://guard.ben.example --server https://guard.carla.example"),
      Example("Restore with the PIN", "keybackup restore --guard-pin"),
    ],
    "guard add": [
      Example(
        "Make a random PIN a way in, with guards of three friends",
        "keybackup guard add --pin --threshold 2 --server https://anna.example "
          + "--server https://ben.example --server https://carla.example"),
      Example(
        "Make a password a way in, with one guard",
        "keybackup guard add --password --threshold 1 --server https://anna.example"),
    ],
    "guard status": [
      Example("Show the tries left, and logins that wait", "keybackup guard status"),
      Example("Do it for a program", "keybackup guard status --json"),
    ],
    "guard reset": [
      Example("Get all tries back", "keybackup guard reset"),
      Example("Do it with the PIN in a file", "keybackup guard reset --guard-pin-file pin.txt"),
    ],
    "guard renew": [
      Example("Make a new PIN with the same guards", "keybackup guard renew"),
      Example(
        "End the earlier one, once the new PIN has opened the backup",
        "keybackup guard renew --finish"),
    ],
    "guard retire": [
      Example("End a way in", "keybackup guard retire \"PIN with guards\""),
      Example("End accounts that nothing uses any more", "keybackup guard retire"),
    ],
    "guard veto": [
      Example(
        "Stop a login that was not you",
        "keybackup guard veto 5f0b3a5e8c1d4f2a9b7c6d8e0f1a2b3c"),
      Example(
        "Do it with the recovery code",
        "keybackup guard veto 5f0b3a5e8c1d4f2a9b7c6d8e0f1a2b3c --recovery-code"),
    ],
  ]
}
