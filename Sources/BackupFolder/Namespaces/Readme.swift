/// A text for a person who finds the folder and knows nothing about it, such as an heir.
///
/// No program reads it, so nothing depends on it.
extension BackupFolder {
  /// The file's name, beside the folder of the namespaces.
  static let readmeName = "README.txt"

  /// Writes the text unless a file of that name exists.
  ///
  /// A failure to write it is ignored: the backup is complete without it.
  ///
  /// - Returns: whether it was written.
  public func leaveReadme() -> Bool {
    do {
      guard !root.holds(Self.readmeName) else { return false }
      let run = try WritingRun.begin(
        StateFolder(path: settings.stateFolder, folder: root, make: true))
      // An earlier crash may have left one.
      try root.removeStaged(tag: run.tag)
      let text = Array(Self.readme.utf8)
      let file = try unsafe AtomicFile(staging: text.span.bytes, in: root, tag: run.tag)
      var buffer = FileBuffer()
      try file.settle(buffer: &buffer) { $0.count == text.count }
      guard try file.place(new: Self.readmeName) else { return false }
      try root.sync()
      return true
    } catch {
      return false
    }
  }

  /// Removes the text that ``leaveReadme()`` has just written for a backup whose creation failed.
  public func removeReadme() {
    try? root.unlink(Self.readmeName)
  }

  /// The text, which says nothing about the user.
  static let readme = """
    WHAT THIS FOLDER IS

    The folder "cspp-namespaces" beside this file holds an encrypted backup of
    bitcoin wallets. The program keybackup made it. Please do not delete, rename
    or change anything in it.

    WHAT OPENS IT

    One of these, and nothing else:

    * A security key (FIDO2): a small device for the USB port or for NFC, with its
      PIN. Several keys may open the backup; each has a PIN of its own. Eight wrong
      PINs lock a key for good, so do not guess.
    * A recovery kit: a printed page with a recovery code of 21 letters and digits.
      Some kits need a second thing too; their page names it.

    Without one of them nobody can open it: not the maker of the program, not the
    company that keeps this folder. Whoever asks you for the PIN or the code in
    order to help you wants the coins.

    HOW TO OPEN IT

    1. On a computer with Linux, let this folder be downloaded as a whole.
    2. Install keybackup. Take it from where the owner says: the recovery kit's page
       names a place, or a stick has it. Beware of a web search. A program that only
       looks like keybackup can take the coins.
    3. With a security key plugged in:
         keybackup restore --folder PATH --out FOLDER --names
       With a recovery code:
         keybackup restore --folder PATH --out FOLDER --names --recovery-code
       PATH is the folder in which this file is. FOLDER is a new one, in a place that
       is not synchronised. The wallets are in it afterwards, not encrypted.

    If the program cannot be found any more: the format is public (CSPP), and
    docs/format.md in the program's source describes every byte of it.

    This file holds no secret and nothing depends on it.

    """
}
