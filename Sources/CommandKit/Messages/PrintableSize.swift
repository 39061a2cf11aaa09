/// Sizes of files as people read them, in powers of 1000.
package enum PrintableSize {
  private static let units = ["kB", "MB", "GB", "TB", "PB", "EB"]

  /// `734 bytes`, `20.5 kB`, `1.0 GB`.
  package static func text(_ bytes: UInt64) -> String {
    if bytes < 1000 { return bytes == 1 ? "1 byte" : "\(bytes) bytes" }
    var tenths = bytes / 100 + (bytes % 100 >= 50 ? 1 : 0)
    var unit = 0
    while tenths >= 10_000, unit + 1 < units.count {
      tenths = tenths / 1000 + (tenths % 1000 >= 500 ? 1 : 0)
      unit += 1
    }
    return "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }
}
