public import CSPP
internal import SecretMemory

/// The state of a namespace's key slots on this computer, for commands that need no key
/// (docs/format.md, *What a computer remembers*).
///
/// Only a run that holds the master key adds to it. It holds no secrets.
struct LocalKeySlotState: Equatable, Sendable {
  /// The time when a key slot's own file last opened the backup here, in Unix seconds.
  ///
  /// Creating a slot here is no proof: of a recovery code the page alone can be lost.
  var proved: [KeyID: UInt64] = [:]
  /// The contents of files of key slots that the log enrolled, or that opened the backup here.
  ///
  /// `nil` where version 0.1.0 wrote the file, which did not record them.
  var enrolled: Set<Digest>?
  /// The names of key slots after they were enrolled.
  var labels: [KeyID: String] = [:]
  /// The removed key slots; their files may come back.
  var removed: Set<KeyID> = []
  /// The key slots that have no file here yet; a box waits for them.
  var waiting: Set<KeyID> = []
  /// The key slots that have a file according to the log, and their names; those of ``waiting`` have
  /// it in an earlier namespace.
  var filed: [KeyID: String] = [:]

  /// The time, in seconds, in which a slot that opened the backup again is not recorded again.
  static let grain: UInt64 = 3600

  /// Creates an empty state.
  init() {}

  /// Adds the knowledge of a run with the master key.
  ///
  /// - Parameters:
  ///   - log: the logs that it opened.
  ///   - contents: the contents of good key slot files.
  ///   - waiting: the key slots for which a box waits.
  ///   - files: the logged files of key slots.
  ///   - key: the key slot that opened the backup.
  ///   - time: the time in Unix seconds.
  mutating func learn(
    _ log: OperationLog, enrolled contents: Set<Digest>, waiting: Set<KeyID>,
    files: [KeyID: KeyWrapper], openedBy key: KeyID?, at time: UInt64
  ) {
    if enrolled == nil {
      for (key, file) in log.keyFiles {
        let made = (try? KeyWrapper(parsing: file.span, at: nil))?.header.createdAt
        proved[key] = proof(of: key, madeAt: made)
      }
    }
    enrolled = contents.union(enrolled ?? [])
    self.waiting = waiting
    for (key, label) in log.keyLabels { labels[key] = label.text }
    removed.formUnion(log.removedKeys)
    for (key, file) in files { filed[key] = labels[key] ?? file.header.label }
    for key in removed { filed[key] = nil }
    if let key { prove(key, at: time) }
  }

  /// Adds what another path remembers.
  fileprivate mutating func inherit(_ other: LocalKeySlotState) {
    proved.merge(other.proved) { max($0, $1) }
    if enrolled != nil || other.enrolled != nil {
      enrolled = (enrolled ?? []).union(other.enrolled ?? [])
    }
    labels.merge(other.labels) { own, _ in own }
    removed.formUnion(other.removed)
    waiting.formUnion(other.waiting)
    filed.merge(other.filed) { own, _ in own }
    for key in removed { filed[key] = nil }
  }

  /// The time when a key slot last opened the backup here.
  ///
  /// Version 0.1.0 recorded a key slot as proved when it was created here, and nothing within an
  /// hour after that. So such a time proves nothing.
  ///
  /// - Parameters:
  ///   - key: the key slot.
  ///   - made: its time of creation, in Unix seconds.
  /// - Returns: the time in Unix seconds.
  func proof(of key: KeyID, madeAt made: UInt64?) -> UInt64? {
    guard let time = proved[key] else { return nil }
    if enrolled == nil, let made, time < made &+ Self.grain { return nil }
    return time
  }

  /// Whether this computer has confirmed, with the master key, that a file is a key slot.
  ///
  /// The state of version 0.1.0 names key slots only by their ID, which any file can bear. It
  /// confirms none until the next run with the master key.
  func confirms(_ slot: inout KeySlot) -> Bool {
    guard let enrolled else { return false }
    return slot.isConfirmed(by: enrolled)
  }

  /// Records that a key slot opened the backup.
  mutating func prove(_ key: KeyID, at time: UInt64) {
    // A clock that was set back must not cause an earlier date.
    if let known = proved[key], time < known &+ Self.grain { return }
    proved[key] = time
  }
}

/// The file format: lines of text; a last line shows that none is missing.
extension LocalKeySlotState {
  static let header = "keybackup-ways 2"
  private static let olderHeader = "keybackup-ways 1"

  /// Parses the output of ``bytes``; `nil` for anything else.
  init?(_ bytes: [UInt8]) {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard let header = lines.first.map(String.init), lines.last == "end",
      header == Self.header || header == Self.olderHeader
    else { return nil }
    if header == Self.header { enrolled = [] }
    for line in lines.dropFirst().dropLast() {
      let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
      if words.count == 2, words[0] == "enrolled" {
        guard let content = Digest(hex: words[1]) else { return nil }
        enrolled?.insert(content)
        continue
      }
      guard words.count >= 2, let key = KeyID(hex: words[1]) else { return nil }
      switch (words[0], words.count) {
      case ("proved", 3):
        guard let time = UInt64(words[2]) else { return nil }
        proved[key] = time
      case ("label", 3), ("file", 3):
        guard let bytes = Hex.bytes(words[2]) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        if words[0] == "file" { filed[key] = text } else { labels[key] = text }
      case ("removed", 2): removed.insert(key)
      case ("waiting", 2): waiting.insert(key)
      default: return nil
      }
    }
  }

  /// The contents of the file.
  var bytes: [UInt8] {
    var lines = [enrolled == nil ? Self.olderHeader : Self.header]
    lines += (enrolled ?? []).sorted().map { "enrolled \($0)" }
    lines += proved.sorted { $0.key < $1.key }.map { "proved \($0.key) \($0.value)" }
    lines += labels.sorted { $0.key < $1.key }
      .map { "label \($0.key) \(Hex.string(Array($0.value.utf8)))" }
    lines += filed.sorted { $0.key < $1.key }
      .map { "file \($0.key) \(Hex.string(Array($0.value.utf8)))" }
    lines += removed.sorted().map { "removed \($0)" }
    lines += waiting.sorted().map { "waiting \($0)" }
    return Array((lines + ["end", ""]).joined(separator: "\n").utf8)
  }
}

extension Hex {
  /// The bytes that the digits encode; `nil` for other text.
  static func bytes(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    return unsafe decode(digits.span.bytes)
  }
}

extension StateFolder {
  private static let keySlotStateLimit = 1 << 20

  private static func keySlotStateName(_ namespace: NamespaceID) -> String { "\(namespace).ways" }

  /// The state of a namespace's key slots; empty where nothing is remembered.
  ///
  /// - Throws: as ``read(_:limit:header:_:)``.
  func slots(of namespace: NamespaceID) throws(BackupFolderError) -> LocalKeySlotState {
    let own = try read(
      Self.keySlotStateName(namespace), limit: Self.keySlotStateLimit,
      header: LocalKeySlotState.header
    ) { bytes in
      LocalKeySlotState(unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) })
    }
    if let own { return own }
    return try origins(of: namespace).reduce(into: LocalKeySlotState()) {
      $0.inherit($1.folder.readableKeySlots(of: namespace))
    }
  }

  /// The same state for reading only: empty where the file cannot be used.
  func readableKeySlots(of namespace: NamespaceID) -> LocalKeySlotState {
    (try? slots(of: namespace)) ?? LocalKeySlotState()
  }

  /// Replaces the state of a namespace's key slots.
  func save(_ slots: LocalKeySlotState, of namespace: NamespaceID) throws(BackupFolderError) {
    try replace(Self.keySlotStateName(namespace), with: slots.bytes)
  }

  /// Forgets a namespace that was never finished, or that is missing and whose loss the user has
  /// accepted.
  func forget(_ namespace: NamespaceID) throws(BackupFolderError) {
    try? directory.unlink(Self.keySlotStateName(namespace))
    try? directory.unlink("\(namespace).files")
    try directory.unlink(namespace.hex)
  }
}

extension OperationLog.LoggedPendingKeySlot {
  /// The time when the key slot was created, in Unix seconds.
  var createdAt: UInt64? {
    (try? KeyWrapper(parsing: file.span, at: namespaceID))?.header.createdAt
  }
}

/// A key slot that this computer remembers and whose file is missing.
public struct LostKeySlot: Equatable, Sendable {
  /// The key slot.
  public let keyID: KeyID
  /// Its file, relative to the namespace folder.
  public let file: String
  /// Its name.
  public let label: String
  /// Whether a box waits for it: its file belongs into an earlier namespace.
  public let isPending: Bool
  /// Whether no earlier namespace is here any more: nothing opens its box.
  public let isForGood: Bool
}

extension Namespace {
  /// The key slots whose own files this computer knows to belong here and which are missing.
  ///
  /// Not even a sync program's placeholder of such a file is here.
  public var lostKeySlots: [LostKeySlot] {
    guard let folder = try? keyFolder().map({ try $0.names() }) ?? [] else { return [] }
    let known = rememberedKeySlots()
    let filed = known.filed.filter { !known.waiting.contains($0.key) }
    return filed.sorted { $0.key < $1.key }.compactMap { key, label in
      if folder.contains(where: { $0.contains(key.hex) }) { return nil }
      return LostKeySlot(
        keyID: key, file: FolderLayout.keyFilePath(key), label: label, isPending: false,
        isForGood: false)
    } + lostPendingKeySlots
  }

  /// The same of pending key slots: no file of an earlier namespace has the contents that were logged.
  private var lostPendingKeySlots: [LostKeySlot] {
    guard let state = try? state(make: false) else { return [] }
    let known = state.readableKeySlots(of: id)
    if known.waiting.isEmpty { return [] }
    let earlier = state.readableMemory(of: id).earlier.sorted()
    let here = earlier.compactMap { (try? sibling($0)).flatMap { $0 } }
    let slots = here.flatMap { (try? $0.scan())?.keySlots ?? [] }
    // Which of several had it is in the log only.
    let place = earlier.count == 1 ? earlier[0].hex : "*"
    return known.filed.sorted { $0.key < $1.key }.compactMap { key, label in
      let isHere = slots.contains { slot in
        var slot = slot
        return slot.keyID == key && known.confirms(&slot)
      }
      guard known.waiting.contains(key), !isHere else { return nil }
      return LostKeySlot(
        keyID: key, file: "../\(place)/" + FolderLayout.keyFilePath(key), label: label,
        isPending: true, isForGood: here.isEmpty)
    }
  }

  /// Whether a run with the master key has confirmed the key slots on this computer.
  public var knowsKeySlots: Bool { rememberedKeySlots().enrolled != nil }

  /// Whether this computer remembers that every key slot it knew was removed, the last one too.
  public var remembersNoKeySlot: Bool {
    let known = rememberedKeySlots()
    return !known.removed.isEmpty && known.filed.isEmpty && known.waiting.isEmpty
  }

  /// The remembered state of the key slots.
  func rememberedKeySlots() -> LocalKeySlotState {
    (try? state(make: false))?.readableKeySlots(of: id) ?? LocalKeySlotState()
  }
}
