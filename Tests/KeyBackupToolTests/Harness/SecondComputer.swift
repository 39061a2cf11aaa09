import Testing

/// Another computer of the same user.
///
/// It has its own home, the same key, and the synced folder or a replica of it.
struct SecondComputer: Sendable {
  let box: Sandbox
  let home: String
  let replica: String

  init(_ box: Sandbox, name: String = "second") throws {
    self.box = box
    home = box.root + "/home-" + name
    replica = box.root + "/replica-" + name
    try Files.makeFolder(home)
  }

  /// Copies the folder as it is now.
  func part() throws { try Files.copy(box.folder, to: replica) }

  /// Merges both: of two files of one name, the replica's stays.
  func join() async throws {
    let outcome = try await box.run(["cp", "-a", replica + "/.", box.folder], key: nil)
    guard outcome.code == 0 else { throw NotThatJSON(text: outcome.text) }
    try Files.remove(replica)
  }

  /// Runs `keybackup` here, on the replica while there is one.
  @discardableResult
  func keybackup(
    _ arguments: [String], pin: Sandbox.PINGiven = .file, input: String = "", expecting: Int32? = 0,
    at location: SourceLocation = #_sourceLocation
  ) async throws -> Outcome {
    let folder = Files.exists(replica) ? replica : box.folder
    return try await box.keybackup(
      arguments, pin: pin, input: Array(input.utf8), home: home,
      environment: ["KEYBACKUP_FOLDER": folder], expecting: expecting, at: location)
  }
}
