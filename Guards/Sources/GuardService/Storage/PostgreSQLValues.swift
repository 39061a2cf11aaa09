internal import CPostgreSQL

/// The types of columns, by the numbers that PostgreSQL gives them.
private enum ColumnType {
  static let bytes: Oid = 17
  static let number: Oid = 20
  static let text: Oid = 25
  static let nothing: Oid = 2278
}

/// The values of a statement in PostgreSQL's binary form.
struct PostgreSQLParameters {
  private var types: [Oid] = []
  private var bytes: [UInt8] = []
  private var places: [Range<Int>?] = []

  init(_ values: [SQLValue]) {
    for value in values {
      switch value {
      case .null:
        types.append(0)
        places.append(nil)
      case .number(let number):
        append(BigEndian.bytes(UInt64(bitPattern: number)), ColumnType.number)
      case .bytes(let value): append(value, ColumnType.bytes)
      case .text(let text): append(Array(text.utf8), ColumnType.text)
      }
    }
    // Never without an address, which would mean NULL.
    bytes.append(0)
  }

  private mutating func append(_ value: [UInt8], _ type: Oid) {
    types.append(type)
    places.append(bytes.count..<bytes.count + value.count)
    bytes += value
  }

  /// Runs a statement and asks for binary rows; the caller frees the result.
  func run(_ sql: String, on connection: OpaquePointer?) -> OpaquePointer? {
    unsafe bytes.withUnsafeBytes { bytes in
      let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      let values = unsafe places.map { place in
        unsafe place.flatMap { place in unsafe start.map { unsafe $0 + place.lowerBound } }
      }
      let sizes = places.map { CInt($0?.count ?? 0) }
      let formats = [CInt](repeating: 1, count: places.count)
      return unsafe PQexecParams(
        connection, sql, CInt(places.count), types, values, sizes, formats, 1)
    }
  }
}

/// The rows of a result in PostgreSQL's binary form.
enum PostgreSQLRows {
  static func read(_ result: OpaquePointer?) throws(GuardStoreError) -> [SQLRow] {
    var rows: [SQLRow] = []
    for row in unsafe 0..<PQntuples(result) {
      var values: [SQLValue] = []
      for column in unsafe 0..<PQnfields(result) {
        values.append(try unsafe value(result, row, column))
      }
      rows.append(SQLRow(values))
    }
    return rows
  }

  private static func value(
    _ result: OpaquePointer?, _ row: CInt, _ column: CInt
  ) throws(GuardStoreError) -> SQLValue {
    if unsafe PQgetisnull(result, row, column) == 1 { return .null }
    let start = unsafe PQgetvalue(result, row, column)
    let size = unsafe Int(PQgetlength(result, row, column))
    let bytes = unsafe Array(UnsafeRawBufferPointer(start: start, count: size))
    switch unsafe PQftype(result, column) {
    case ColumnType.nothing: return .null
    case ColumnType.bytes: return .bytes(bytes)
    case ColumnType.text: return .text(String(decoding: bytes, as: UTF8.self))
    case ColumnType.number where size == 8:
      return .number(Int64(bitPattern: BigEndian.number(bytes[...])))
    default: throw .damaged("column")
    }
  }
}
