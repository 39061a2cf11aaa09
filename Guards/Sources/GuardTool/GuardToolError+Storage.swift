internal import GuardService

extension GuardToolError {
  /// A database that cannot be used.
  init(_ error: GuardStoreError) {
    switch error {
    case .unavailable(let reason):
      self.init(
        .unavailable, "the database cannot be used: \(reason)",
        hint: "look whether it runs and has space, then try again")
    case .invalidURL:
      self.init(
        .usage, "the URL of the database cannot be read",
        hint: "in a name or password write @ as %40, / as %2F, : as %3A and % as %25\n"
          + "better keep the password in a file: PGPASSFILE")
    case .unknownOutcome:
      self.init(
        .busy, "the connection to the database broke during a change", hint: "try again")
    case .notDurable(let setting):
      self.init(
        .config, "the database may lose what it has confirmed: \(setting)",
        hint: "switch it on in the database's settings: a crash would give tries back")
    case .otherVersion:
      self.init(
        .dataInvalid, "the database was made by another version of keybackup-guard",
        hint: "use the version that made it, or a newer one")
    case .otherKey:
      self.init(
        .config, "the server key is not the one of this database",
        hint: "put the copy of the right key in its place")
    case .damaged("export"):
      self.init(
        .dataInvalid, "the exported file is damaged, or no exported file",
        hint: "copy it again from the old guard, or repeat the export there into another file")
    case .damaged(let part):
      self.init(
        .dataInvalid, "the guard's data is damaged: \(part)",
        hint: "restore a backup; it gives tries back")
    case .stopped:
      self.init(
        .unavailable, "this guard was exported and answers no more",
        hint: "run the guard that imported it")
    case .exportFailed(let reason):
      let cause = GuardToolError(reason)
      self.init(
        cause.code, cause.message,
        hint: (cause.hint.map { $0 + "\n" } ?? "")
          + "this guard has stopped for good: repeat the export into another file")
    case .notEmpty:
      self.init(
        .cannotCreate, "the database has accounts already",
        hint: "import into a new one: --state FOLDER or --database")
    case .file(let number, let path):
      self.init(file: number, path)
    }
  }

  /// A server key that cannot be used.
  init(_ error: ServerKeyError, path: String) {
    switch error {
    case .file(2, let path):
      self.init(
        .config, "the server key \(path) is not there, and the guard has one",
        hint: "put the copy of the key in its place")
    case .file(let number, let path): self.init(file: number, path)
    case .open(let path):
      self.init(
        .config, "others than its user may read the server key \(path)",
        hint: "run: chmod 600 \(path)")
    case .invalid:
      self.init(
        .dataInvalid, "the file \(path) holds no server key",
        hint: "put the copy of the key in its place; it has 64 digits")
    }
  }

  private init(file number: Int32, _ path: String) {
    let code: GuardExit =
      switch number {
      case 13, 1: .permissionDenied
      case 17: .cannotCreate
      default: .io
      }
    self.init(
      code, "\(path): \(GuardStreams.words(number))",
      hint: number == 17
        ? "name a new file" : "look at the file's owner and mode, and at the free space")
  }
}
