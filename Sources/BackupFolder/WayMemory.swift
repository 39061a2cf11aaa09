internal import CSPP
internal import SecretMemory

/// What this computer remembers of a namespace's ways in, so that commands that
/// need no key can show it (docs/format.md, *What a computer remembers*).
///
/// Only a run that holds the master key adds to it. No secrets.
struct WayMemory: Equatable, Sendable {
  /// When a way in last opened the backup here, by its own file; Unix seconds.
  var proved: [KeyID: UInt64] = [:]
  /// What ways in were called after they were enrolled.
  var labels: [KeyID: String] = [:]
  /// Ways in that were removed: their files may come back.
  var removed: Set<KeyID> = []
  /// Ways in that have no file here yet: a box waits for them.
  var waiting: Set<KeyID> = []

  /// A way in that opened the backup within this time need not be noted again.
  static let grain: UInt64 = 3600

  /// Nothing is remembered.
  init() {}

  /// Adds what a run with the master key knows.
  ///
  /// - Parameters:
  ///   - log: the logs that it opened.
  ///   - waiting: the ways in for which a box waits.
  ///   - key: the way in that opened them.
  ///   - time: Unix seconds.
  mutating func learn(
    _ log: OperationLog, waiting: Set<KeyID>, openedBy key: KeyID?, at time: UInt64
  ) {
    self.waiting = waiting
    for (key, label) in log.keyLabels { labels[key] = label.text }
    removed.formUnion(log.removedKeys)
    if let key { prove(key, at: time) }
  }

  /// Notes that a way in opened the backup.
  mutating func prove(_ key: KeyID, at time: UInt64) {
    // A clock that was set back makes no earlier date.
    if let known = proved[key], time < known &+ Self.grain { return }
    proved[key] = time
  }
}

/// The file: lines of text, the last of which shows that none is missing.
extension WayMemory {
  private static let header = "keybackup-ways 1"

  /// Reads what ``bytes`` wrote; `nil` for anything else.
  init?(_ bytes: [UInt8]) {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard lines.first.map(String.init) == Self.header, lines.last == "end", lines.count > 1 else {
      return nil
    }
    for line in lines.dropFirst().dropLast() {
      let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
      guard words.count >= 2, let key = KeyID(hex: words[1]) else { return nil }
      switch (words[0], words.count) {
      case ("proved", 3):
        guard let time = UInt64(words[2]) else { return nil }
        proved[key] = time
      case ("label", 3):
        guard let text = Hex.bytes(words[2]) else { return nil }
        labels[key] = String(decoding: text, as: UTF8.self)
      case ("removed", 2): removed.insert(key)
      case ("waiting", 2): waiting.insert(key)
      default: return nil
      }
    }
  }

  /// The file.
  var bytes: [UInt8] {
    var lines = [Self.header]
    lines += proved.sorted { $0.key < $1.key }.map { "proved \($0.key) \($0.value)" }
    lines += labels.sorted { $0.key < $1.key }
      .map { "label \($0.key) \(Hex.string(Array($0.value.utf8)))" }
    lines += removed.sorted().map { "removed \($0)" }
    lines += waiting.sorted().map { "waiting \($0)" }
    return Array((lines + ["end", ""]).joined(separator: "\n").utf8)
  }
}

extension Hex {
  /// The bytes that digits spell; `nil` for other text.
  fileprivate static func bytes(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    return unsafe decode(digits.span.bytes)
  }
}

extension StateFolder {
  private static let wayMemoryLimit = 1 << 20

  private static func wayMemoryName(_ namespace: NamespaceID) -> String { "\(namespace).ways" }

  /// What is remembered of a namespace's ways in; nothing where it cannot be
  /// read.
  func ways(of namespace: NamespaceID) -> WayMemory {
    var buffer = FileBuffer()
    do {
      try buffer.read(
        Self.wayMemoryName(namespace), in: directory, limit: Self.wayMemoryLimit)
    } catch {
      return WayMemory()
    }
    let bytes = buffer.withBytes { bytes in
      unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }
    return WayMemory(bytes) ?? WayMemory()
  }

  /// Replaces what is remembered of a namespace's ways in.
  func save(_ ways: WayMemory, of namespace: NamespaceID) throws(BackupFolderError) {
    try replace(Self.wayMemoryName(namespace), with: ways.bytes)
  }

  /// Forgets a namespace's ways in.
  func forgetWays(of namespace: NamespaceID) {
    try? directory.unlink(Self.wayMemoryName(namespace))
  }
}

extension OpenNamespace {
  /// Remembers what this run learnt of the ways in; that it cannot is no error.
  ///
  /// - Parameters:
  ///   - isLocked: whether the caller holds the lock.
  ///   - key: another way in whose secret was reproduced in this run.
  func rememberWays(isLocked: Bool, proving key: KeyID? = nil) {
    let time = namespace.settings.clock()
    let waiting = Set(waysWithoutFile.map(\.keyID))
    func isNews(_ state: StateFolder) -> WayMemory? {
      let known = state.ways(of: id)
      var news = known
      news.learn(log, waiting: waiting, openedBy: openedBy, at: time)
      if let key { news.prove(key, at: time) }
      return news == known ? nil : news
    }
    if let state = try? namespace.state(make: false), isNews(state) == nil { return }
    guard let state = try? namespace.state(make: true) else { return }
    let lock = isLocked ? nil : try? state.lock(patience: FileLock.readersPatience)
    guard isLocked || lock != nil, let news = isNews(state) else { return }
    try? state.save(news, of: id)
    _ = consume lock
  }
}

extension Namespace {
  /// What this computer remembers of the ways in.
  func rememberedWays() -> WayMemory {
    (try? state(make: false))?.ways(of: id) ?? WayMemory()
  }
}
