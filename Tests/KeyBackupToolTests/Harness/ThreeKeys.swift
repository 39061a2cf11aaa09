import Glibc
import Synchronization
import Testing

/// A backup of two wallets that three security keys open.
///
/// "blue" made it; "green" and "red" are spares.
struct ThreeKeys: Sendable {
  static let names = ["blue", "green", "red"]

  let box: Sandbox

  /// Copies a backup that is made once.
  init() async throws {
    let original = try await Self.original.value
    box = try Sandbox()
    try Files.remove(box.folder)
    try Files.copy(original.box.folder, to: box.folder)
    for name in Self.names {
      try Files.copy(original.state(name), to: state(name))
    }
  }

  private init(making box: Sandbox) async throws {
    self.box = box
    try await box.keybackup(["init", "--label", "blue"], key: only("blue"))
    let entries = ["first", "second"].map { Samples.entry(id: $0, name: "Name of " + $0) }
    try await box.keybackup(
      ["wallet", "import", "-"], key: only("blue"),
      input: Array(entries.joined(separator: "\n").utf8))
    for name in ["green", "red"] {
      try await box.keybackup(
        ["key", "add", "--label", name], key: only("blue") + ["--key", state(name)])
    }
  }

  private static let original = Task {
    let box = try Sandbox()
    leftOver.withLock { $0 = box.root }
    atexit { ThreeKeys.leftOver.withLock { try? Files.remove($0) } }
    return try await ThreeKeys(making: box)
  }

  private static let leftOver = Mutex("")

  // MARK: Keys

  /// A key's memory.
  func state(_ name: String) -> String { "\(box.root)/\(name).json" }

  /// Options of `virtual-key`: only this key is plugged in.
  func only(_ name: String) -> [String] { ["--key", state(name)] }

  /// The key slots as `key list` shows them.
  func slots() async throws -> [JSON] {
    try await box.keybackup(["key", "list", "--json"], key: nil, pin: .none).json()["keys"].items
  }

  /// IDs of the key slots with a label.
  func ids(_ label: String) async throws -> [String] {
    try await slots().filter { $0["label"].text == label }.compactMap { $0["key_id"].text }
  }

  /// Restores everything with one key, on a computer that knows nothing.
  func expectRestores(
    with name: String, at location: SourceLocation = #_sourceLocation
  ) async throws {
    let home = try box.newHome()
    let outcome = try await box.keybackup(["restore", "--json"], key: only(name), home: home)
    #expect(try outcome.json()["restored"].number == 2, sourceLocation: location)
  }

  // MARK: The kit

  /// Makes a recovery kit, and returns its code's file.
  func makeKit(openedWith name: String) async throws -> String {
    let made = try await box.keybackup(
      [
        "recovery-kit", "create", "--json", "--reveal", "--label", "paper", "--out",
        box.root + "/p",
      ],
      key: only(name)
    ).json()
    let file = box.root + "/code"
    try Files.write(try #require(made["code"].text) + "\n", to: file, mode: 0o600)
    return file
  }

  /// Restores everything with the kit alone, on a computer that knows nothing.
  func expectRestores(
    withKit file: String, at location: SourceLocation = #_sourceLocation
  ) async throws {
    let outcome = try await box.keybackup(
      ["restore", "--json", "--recovery-code-file", file], key: ["--no-key"], pin: .none,
      home: try box.newHome())
    #expect(try outcome.json()["restored"].number == 2, sourceLocation: location)
  }

  // MARK: The folder

  var place: String {
    get throws {
      let namespaces = box.folder + "/cspp-namespaces/"
      let first = try #require(Files.tree(namespaces).first)
      return namespaces + first.split(separator: "/")[0]
    }
  }

  /// Bytes and times of the wallets' files.
  func wallets() throws -> [String: [UInt8]] {
    let folder = try place + "/wallets"
    var found: [String: [UInt8]] = [:]
    for name in Files.tree(folder) {
      var status = stat()
      guard unsafe lstat("\(folder)/\(name)", &status) == 0 else { throw SystemFailure(name) }
      let time = "\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec) \(status.st_ino)"
      found[name] = try Files.read("\(folder)/\(name)") + Array(time.utf8)
    }
    return found
  }
}

extension Sandbox {
  /// The home of a computer that knows nothing.
  func newHome() throws -> String {
    let home = "\(root)/home-\(UInt64.random(in: 0...UInt64.max))"
    try Files.makeFolder(home)
    return home
  }
}
