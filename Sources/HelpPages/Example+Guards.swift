/// Examples of ways in with guards.
extension Example {
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
        "keybackup guard add --pin --threshold 2 --server https://guard.anna.example "
          + "--server https://guard.ben.example --server https://guard.carla.example"),
      Example(
        "Make a login a way in that anyone with the backup can stop for three days",
        "keybackup guard add --login https://id.example --client-id keybackup --delay 3d "
          + "--threshold 1 --server https://guard.anna.example"),
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
