internal import CSPP
internal import CommandKit

/// The names that a restored file may get, best first: its own, and others for file systems that
/// cannot have that one.
///
/// FAT, exFAT and NTFS refuse some characters, ends and names of devices. Other file systems take
/// only short names, or take two names for one.
enum FittingNames {
  /// Most bytes of a name's stem where the whole name may be too long.
  private static let shortStem = 64
  /// Most bytes of an extension, with its dot.
  private static let longestExtension = 16
  private static let refused = "\"*/:<>?\\|"
  private static let devices: Set<String> = Set(
    ["CON", "PRN", "AUX", "NUL"] + (1...9).flatMap { ["COM\($0)", "LPT\($0)"] })

  /// - Parameter name: the file's or folder's own name.
  /// - Returns: that name, then the others. The last one is short and has only ASCII letters.
  static func all(for name: String) -> [String] {
    let clean = cleaned(name)
    let mark = "." + Digest(of: Array(name.utf8).span).hex.prefix(8)
    let plain = String(clean.map { $0.isASCII ? $0 : "_" })
    var names = [name]
    for other in [clean, marked(clean, mark), marked(plain, mark)]
    where !names.contains(where: { NameBytes($0) == NameBytes(other) }) {
      names.append(other)
    }
    return names
  }

  /// A text that is the same for two paths which a file system may take for one.
  static func folded(_ path: String) -> String {
    path.uppercased().lowercased().split(separator: "/").map { $0.trimmingEnd() }
      .joined(separator: "/")
  }

  /// The name without what Windows has for itself.
  private static func cleaned(_ name: String) -> String {
    var text = String(
      String.UnicodeScalarView(
        name.unicodeScalars.map {
          $0.value < 0x20 || refused.unicodeScalars.contains($0) ? "_" : $0
        })
    )
    let end = text[...].trimmingEnd().endIndex
    text.replaceSubrange(end..., with: String(repeating: "_", count: text[end...].count))
    let stem = text.prefix { $0 != "." }
    return devices.contains(stem.uppercased())
      ? String(stem) + "_" + text[stem.endIndex...] : text
  }

  /// The name with a mark that no other file's has, made short.
  private static func marked(_ name: String, _ mark: String) -> String {
    var stem = name[...]
    var ending: Substring = ""
    if let dot = name.lastIndex(of: "."), dot > name.startIndex,
      name[dot...].utf8.count <= longestExtension
    {
      (stem, ending) = (name[..<dot], name[dot...])
    }
    while stem.utf8.count > shortStem { stem.removeLast() }
    return String(stem) + mark + ending
  }
}

extension Substring {
  /// Without dots and spaces at its end, which Windows leaves out.
  fileprivate func trimmingEnd() -> Substring {
    var rest = self
    while rest.last == "." || rest.last == " " { rest.removeLast() }
    return rest
  }
}
