internal import SecretMemory

/// Tells the databases of Lightning nodes by the tables in them, whatever the files are called.
///
/// It reads the pages that list the tables, at most ``mostPages`` of them.
struct NodeDatabase: ~Copyable {
  private static let mostPages = 512
  /// The largest page of SQLite, and most bytes of one that are searched.
  private static let largestPage = 64 << 10
  /// The first bytes of every database of SQLite.
  static let sqliteHeader = "SQLite format 3\0"

  /// The tables of databases that must not be copied, and the advice about each.
  private static let sqliteTables: [(names: [String], advice: CopyAdvice)] = [
    (["channeldb_kv"], .lndChannels),
    (["channel_htlcs", "shachains"], .coreLightningChannels),
    (["ldk_node_data"], .ldkChannels), (["ldk_data"], .ldkChannels),
    (["local_channels", "htlc_infos"], .eclairChannels),
  ]
  /// The bucket of LND's open channels in a database of bbolt.
  private static let openChannels = "open-chan-bucket"

  private let contents: CopyCheck.Contents
  // Not an array: a page may hold a node's secrets.
  private var page = SecretBytes(zeroed: largestPage)
  private var found: Set<String> = []
  private var wanted: [[UInt8]] = []

  private init(_ contents: @escaping CopyCheck.Contents) { self.contents = contents }

  /// The advice about contents.
  ///
  /// - Returns: nil where they are no such database.
  static func advice(_ contents: @escaping CopyCheck.Contents) -> CopyAdvice? {
    var database = NodeDatabase(contents)
    guard database.read(at: 0, largestPage) >= 100 else { return nil }
    if database.contains(sqliteHeader.utf8, upTo: sqliteHeader.utf8.count) {
      database.wanted = sqliteTables.flatMap(\.names).map { Array($0.utf8) }
      database.searchSQLite()
      let found = database.found
      return sqliteTables.first { found.isSuperset(of: $0.names) }?.advice
    }
    guard database.isBolt else { return nil }
    database.wanted = [Array(openChannels.utf8)]
    database.searchBolt()
    return database.found.isEmpty ? nil : .lndChannels
  }

  // MARK: SQLite (sqlite.org/fileformat.html)

  /// Goes through the tree of the table of tables, whose root is page 1.
  private mutating func searchSQLite() {
    let stated = Int(number(at: 16, 2, isBigEndian: true))
    let size = stated == 1 ? Self.largestPage : stated
    guard size >= 512 else { return }
    var waiting = [1]
    var left = Self.mostPages
    while let next = waiting.popLast(), left > 0 {
      left -= 1
      let count = read(at: (next - 1) * size, size)
      let header = next == 1 ? 100 : 0
      guard next > 0, count == size else { continue }
      switch number(at: header, 1, isBigEndian: true) {
      case 0x0D: search(count)
      case 0x05:
        let cells = min(Int(number(at: header + 3, 2, isBigEndian: true)), (size - header - 12) / 2)
        waiting.append(Int(number(at: header + 8, 4, isBigEndian: true)))
        for cell in 0..<max(0, cells) {
          let place = Int(number(at: header + 12 + 2 * cell, 2, isBigEndian: true))
          guard place + 4 <= size else { continue }
          waiting.append(Int(number(at: place, 4, isBigEndian: true)))
        }
      default: continue
      }
    }
  }

  // MARK: bbolt (go.etcd.io/bbolt)

  private static let boltMagic: UInt64 = 0xED0C_DAED
  /// The bytes before the contents of a page.
  private static let boltHeader = 16

  /// Whether the first page, or the second one, says so.
  private var isBolt: Bool { number(at: Self.boltHeader, 4) == Self.boltMagic }

  /// Goes through the trees of buckets to which the two first pages lead.
  private mutating func searchBolt() {
    let size = Int(number(at: Self.boltHeader + 8, 4))
    guard (512...Self.largestPage).contains(size) else { return }
    var waiting: [Int] = []
    for meta in 0...1 where read(at: meta * size, size) == size {
      guard isBolt else { continue }
      waiting.append(Int(clamping: number(at: Self.boltHeader + 16, 8)))
    }
    var left = Self.mostPages
    while let next = waiting.popLast(), left > 0 {
      left -= 1
      guard next < Int.max / Self.largestPage else { continue }
      let count = read(at: next * size, Self.largestPage)
      guard count >= size else { continue }
      let flags = number(at: 8, 2)
      if flags & 2 != 0 { search(min(count, size * (1 + Int(number(at: 12, 4))))) }
      guard flags & 1 != 0 else { continue }
      let elements = min(Int(number(at: 10, 2)), (size - Self.boltHeader) / 16)
      for element in 0..<elements {
        waiting.append(Int(clamping: number(at: Self.boltHeader + 16 * element + 8, 8)))
      }
    }
  }

  // MARK: Bytes

  private mutating func read(at offset: Int, _ size: Int) -> Int {
    contents(&page, offset, min(size, page.count))
  }

  /// A number in the page.
  private func number(at offset: Int, _ count: Int, isBigEndian: Bool = false) -> UInt64 {
    page.withBytes { bytes in
      guard offset >= 0, offset + count <= bytes.byteCount else { return 0 }
      var value: UInt64 = 0
      for index in 0..<count {
        let place = offset + (isBigEndian ? index : count - 1 - index)
        value = value << 8 | UInt64(unsafe bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self))
      }
      return value
    }
  }

  private func contains(_ text: String.UTF8View, upTo count: Int) -> Bool {
    unsafe page.withUnsafeBytes { unsafe $0.prefix(count).elementsEqual(text) }
  }

  /// Notes which of the wanted names are in the first bytes of the page.
  private mutating func search(_ count: Int) {
    for name in wanted {
      let isThere = unsafe page.withUnsafeBytes { bytes in
        guard count >= name.count else { return false }
        for start in 0...(count - name.count) where unsafe bytes[start] == name[0] {
          if unsafe bytes[start..<(start + name.count)].elementsEqual(name) { return true }
        }
        return false
      }
      if isThere { found.insert(String(decoding: name, as: UTF8.self)) }
    }
  }
}
