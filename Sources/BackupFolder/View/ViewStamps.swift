internal import CSPP

/// The contents of the wallets' own files when they were last opened.
struct ViewStamps {
  /// One file: `wallets/wallet-<record>.json`.
  struct Entry {
    let record: RecordID
    /// The digest of the WalletEntry's bytes, whose record this is.
    let value: Digest
    let stamp: FileStamp
  }

  /// The device of the files.
  let device: UInt64
  /// The files, ordered by record.
  private var entries: [Entry] = []
  /// The likely index of the next file in order.
  private var next = 0

  /// The number of files.
  var count: Int { entries.count }

  init(device: UInt64) { self.device = device }

  /// The digest of a file's contents, if it has the same stamp as when it was opened.
  mutating func value(of record: RecordID, _ stamp: FileStamp) -> Digest? {
    if next >= entries.count || entries[next].record != record {
      var (low, high) = (0, entries.count)
      while low < high {
        let middle = (low + high) / 2
        if entries[middle].record.precedes(record) { low = middle + 1 } else { high = middle }
      }
      next = low
    }
    guard next < entries.count, entries[next].record == record else { return nil }
    next += 1
    return entries[next - 1].stamp == stamp ? entries[next - 1].value : nil
  }

  /// Adds files, or updates known ones.
  mutating func add(_ new: [Entry]) {
    if !new.isEmpty { replace(with: entries + new) }
  }

  /// Replaces all entries; of several for one record, the last counts.
  mutating func replace(with new: [Entry]) {
    var isSorted = true
    for place in new.indices.dropFirst() where !new[place - 1].record.precedes(new[place].record) {
      isSorted = false
      break
    }
    next = 0
    entries = new
    if isSorted { return }
    let order = new.indices.sorted {
      new[$0].record == new[$1].record ? $0 < $1 : new[$0].record.precedes(new[$1].record)
    }
    entries = order.indices.compactMap { place in
      let isLast =
        place + 1 == order.count || new[order[place]].record != new[order[place + 1]].record
      return isLast ? new[order[place]] : nil
    }
  }
}

extension ViewStamps {
  func encode(into writer: inout CacheWriter) {
    writer.add(device)
    writer.add(Int64(entries.count))
    for entry in entries {
      writer.add(entry.record.words)
      writer.add(entry.value.words)
      writer.add(entry.stamp.inode)
      writer.add(entry.stamp.size)
      writer.add(entry.stamp.modified)
      writer.add(entry.stamp.changed)
    }
  }

  init(from reader: inout CacheReader) {
    device = reader.number()
    let count = reader.count(96)
    entries.reserveCapacity(count)
    for _ in 0..<count {
      entries.append(
        Entry(
          record: RecordID(words: reader.words4()), value: Digest(words: reader.words4()),
          stamp: FileStamp(
            inode: reader.number(), size: reader.number(), modified: reader.number(),
            changed: reader.number())))
    }
  }
}

extension RecordID {
  /// Orders by bytes, without a call for each byte.
  func precedes(_ other: RecordID) -> Bool {
    if words.x != other.words.x { return words.x < other.words.x }
    if words.y != other.words.y { return words.y < other.words.y }
    if words.z != other.words.z { return words.z < other.words.z }
    return words.w < other.words.w
  }
}
