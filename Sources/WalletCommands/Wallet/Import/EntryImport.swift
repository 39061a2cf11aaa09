internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import SecretMemory
internal import SyncFolders
internal import Unlocking
internal import WalletFormats

/// Imports WalletEntry JSON, one a line.
struct EntryImport {
  let unlock: UnlockOptions
  /// A path or `-`.
  let file: String
  let place: SyncedFolderOption

  /// Most bytes that are read at once, 1 GiB.
  private static let limit = 1 << 30

  func run(in world: World) async throws(UserMessage) -> ExitReason {
    let text = try InputFile.readSecret(file, limit: Self.limit, world.streams)
    if text.count <= DescriptorList.sizeLimit { try OtherSecret.refuse(text, besides: nil) }
    let batch = try Self.batch(text)
    let watchOnly = (0..<batch.count).filter { batch.withEntry($0, Self.isWatchOnly) }
    guard batch.count > 0 else {
      throw UserMessage(
        .dataInvalid, "there is no entry to import", hint: "give one WalletEntry JSON a line")
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

  /// A line with something on it.
  private struct Line {
    let number: Int
    let range: Range<Int>
  }

  /// The entries of a text, all of them checked; the text becomes the batch's.
  private static func batch(
    _ text: consuming SecretBytes
  ) throws(UserMessage) -> WalletBatch {
    let lines = text.withBytes { Self.lines(of: $0) }
    var batch = WalletBatch(text: text)
    for line in lines {
      do throws(BackupFolderError) {
        // Before a key is touched for what cannot be kept.
        let limit = WalletBatch.entryLimit
        guard line.range.count <= limit else {
          throw .tooLarge(path: "line \(line.number)", limit: limit)
        }
        try batch.append(at: line.range)
      } catch {
        var message = UserMessage(error)
        if case .dataInvalid(_, let reason) = error {
          message.message = "line \(line.number): \(reason)"
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

  private static func lines(of text: RawSpan) -> [Line] {
    var lines: [Line] = []
    var number = 0
    var start = 0
    while start < text.byteCount {
      let end = text.firstOffset(of: 10, from: start) ?? text.byteCount
      number += 1
      if !text.isBlank(start..<end) { lines.append(Line(number: number, range: start..<end)) }
      start = end + 1
    }
    return lines
  }
}

extension RawSpan {
  /// Where `byte` is next, at or after `start`.
  fileprivate func firstOffset(of byte: UInt8, from start: Int) -> Int? {
    var offset = start
    while offset < byteCount {
      if unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self) == byte { return offset }
      offset += 1
    }
    return nil
  }

  /// Whether there is nothing but white space in `range`.
  fileprivate func isBlank(_ range: Range<Int>) -> Bool {
    range.allSatisfy { offset in
      [9, 13, 32].contains(unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self))
    }
  }
}
