internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import SecretMemory
internal import SyncFolders
internal import Unlocking
internal import WalletFormats

/// Imports WalletEntry JSON, one a line or spread over lines.
struct EntryImport {
  let unlock: UnlockOptions
  /// A path or `-`.
  let file: String
  let place: SyncedFolderOption

  /// Most bytes that are read at once, 1 GiB.
  private static let limit = 1 << 30

  func run(in world: World) async throws(UserMessage) -> ExitReason {
    let text = UTF8Text.decoding(
      try InputFile.readSecret(file, limit: Self.limit, world.streams))
    try OtherSecret.refuse(text, besides: nil)
    let batch = try Self.batch(text)
    let watchOnly = (0..<batch.count).filter { batch.withEntry($0, Self.isWatchOnly) }
    guard batch.count > 0 else {
      throw UserMessage(
        .dataInvalid, "there is no entry to import", hint: "give WalletEntry JSON")
    }
    if watchOnly.count < batch.count {
      try place.requirePrivate(input: file, besides: unlock.folder.folder, world)
    }
    var opened = try await unlock.open(world, for: .writing, purpose: .writing)
    var replaced = ReplacedSecrets()
    let added = try opened.deciding(UserMessage.init) { (opened) throws(UserMessage) in
      replaced = ReplacedSecrets(by: batch, in: &opened)
      try Interruption.check()
      do throws(BackupFolderError) {
        return try opened.add(batch, skippingKnown: true)
      } catch {
        throw Self.message(error, opened.lastAdded, of: batch.count)
      }
    }
    replaced.leaveOutPresent(in: &opened)
    WatchOnlyMemory(opened.id, world).keep(adding: Set(watchOnly.map { batch.records[$0] }))
    let namesakes = Namesakes(of: added.count == 0 ? [] : Set(batch.records), in: &opened)
    unlock.output(world).warn(viewProblem: opened.viewProblem)
    let noun = added.count == 1 ? "wallet" : "wallets"
    try unlock.output(world).result(
      opened.importWords(
        added: added.count, unchanged: added.known, of: Set(batch.records), same: "content"),
      json: [
        "imported": .number(added.count), "unchanged": .number(added.known),
        "record_ids": .array(batch.records.map { .string($0.hex) }),
        "replaced": replaced.json, "watch_only": .number(watchOnly.count),
        "same_name": namesakes.json,
      ], ofChange: "\(added.count) \(noun) were imported all the same")
    unlock.output(world).warn(replaced)
    unlock.output(world).warn(namesakes)
    unlock.output(world).note(watchOnly: watchOnly.count)
    if watchOnly.count < batch.count { unlock.output(world).note(secretStaysIn: file) }
    return .success
  }

  /// The error of an import that failed, perhaps after part of it was done.
  private static func message(
    _ error: BackupFolderError, _ added: OpenNamespace.Added, of count: Int
  ) -> UserMessage {
    let cause = UserMessage(error)
    if added.count == 0 { return cause }
    return UserMessage(
      .partial,
      "\(added.count + added.known) of \(count) wallets are in the backup, the others are not: "
        + cause.message,
      hint: "import the same file again for the others"
        + (cause.hint.map { "; before that: \($0)" } ?? ""))
  }

  /// A JSON object, or the rest of a line that begins none.
  private struct Piece {
    /// The line on which it begins.
    let line: Int
    let range: Range<Int>
  }

  /// The entries of a text, all of them checked; the text becomes the batch's.
  private static func batch(
    _ text: consuming SecretBytes
  ) throws(UserMessage) -> WalletBatch {
    let pieces = text.withBytes { Self.pieces(of: $0) }
    var batch = WalletBatch(text: text)
    for piece in pieces {
      do throws(BackupFolderError) {
        // Before a key is touched for what cannot be kept.
        let limit = WalletBatch.entryLimit
        guard piece.range.count <= limit else {
          throw .tooLarge(path: "line \(piece.line)", limit: limit)
        }
        try batch.append(at: piece.range)
      } catch {
        var message = UserMessage(error)
        if case .dataInvalid(_, let reason) = error {
          message.message = "line \(piece.line): \(reason)"
        }
        message.hint = "nothing was imported; correct the line and try again"
        throw message
      }
    }
    return batch
  }

  /// Whether an entry cannot spend.
  ///
  /// Only entries of a kind of which that may hold get guarded memory of their own.
  private static func isWatchOnly(_ bytes: RawSpan) -> Bool {
    guard let entry = try? WalletEntry(parsing: bytes),
      [.watchOnly, .descriptor].contains(entry.secretKind)
    else { return false }
    return entry.spending(in: SecretBytes(copying: bytes)) == .watchOnly
  }

  /// The objects of a text.
  ///
  /// An object that does not end takes all the rest; something else takes its line.
  private static func pieces(of text: RawSpan) -> [Piece] {
    var pieces: [Piece] = []
    var line = 1
    var start = 0
    while let begin = text.firstOffset(from: start, where: { !$0.isJSONSpace }) {
      line += text.count(of: 10, in: start..<begin)
      let isObject = text.beginsObject(at: begin)
      start =
        (isObject ? text.endOfObject(at: begin) : text.firstOffset(from: begin) { $0 == 10 })
        ?? text.byteCount
      pieces.append(Piece(line: line, range: begin..<start))
      line += text.count(of: 10, in: begin..<start)
    }
    return pieces
  }
}

extension UInt8 {
  fileprivate var isJSONSpace: Bool { [9, 10, 13, 32].contains(self) }
}

extension RawSpan {
  private func byte(_ offset: Int) -> UInt8 {
    unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }

  /// Where a byte that fits is next, at or after `start`.
  fileprivate func firstOffset(from start: Int, where fits: (UInt8) -> Bool) -> Int? {
    var offset = start
    while offset < byteCount {
      if fits(byte(offset)) { return offset }
      offset += 1
    }
    return nil
  }

  fileprivate func count(of value: UInt8, in range: Range<Int>) -> Int {
    range.count { byte($0) == value }
  }

  fileprivate func beginsObject(at offset: Int) -> Bool { byte(offset) == UInt8(ascii: "{") }

  /// The end of the JSON object that begins at `start`; nil where it does not end.
  fileprivate func endOfObject(at start: Int) -> Int? {
    var depth = 0
    var isText = false
    var offset = start
    while offset < byteCount {
      switch byte(offset) {
      case UInt8(ascii: "\\") where isText: offset += 1
      case UInt8(ascii: "\""): isText.toggle()
      case UInt8(ascii: "{") where !isText: depth += 1
      case UInt8(ascii: "}") where !isText:
        depth -= 1
        if depth == 0 { return offset + 1 }
      default: break
      }
      offset += 1
    }
    return nil
  }
}
