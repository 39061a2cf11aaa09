internal import CLinux
internal import FoundationEssentials
internal import Glibc

/// A file of the catalogue on this computer.
package struct FoundFile: Sendable {
  /// The catalogue's line.
  package let entry: CatalogueEntry
  /// Its path.
  package let path: String
  /// Whether it is there; else the path may have `*`.
  package let exists: Bool
  /// A reason against a copy of this very file.
  package let advice: CopyAdvice?

  /// The most files that one line of the catalogue gives.
  private static let most = 100

  /// Looks for every file of the catalogue.
  ///
  /// - Parameters:
  ///   - home: the home folder.
  ///   - all: whether entries are listed that are not there.
  /// - Returns: the files, in the order of the catalogue.
  package static func find(in home: String, all: Bool) -> [FoundFile] {
    CatalogueEntry.all.flatMap { entry -> [FoundFile] in
      var paths = [home]
      for part in entry.place.split(separator: "/").map(String.init) {
        paths = paths.flatMap { matches(part, in: $0) }
      }
      // A public key lies beside each private one.
      let found = paths.filter { !$0.hasSuffix(".pub") }.prefix(most)
      if found.isEmpty, all {
        return [FoundFile(entry: entry, path: "\(home)/\(entry.place)", exists: false, advice: nil)]
      }
      return found.map { path in
        FoundFile(entry: entry, path: path, exists: true, advice: advice(path))
      }
    }
  }

  private static func matches(_ pattern: String, in folder: String) -> [String] {
    guard let star = pattern.firstIndex(of: "*") else {
      let path = "\(folder)/\(pattern)"
      return FileCheck.exists(path) ? [path] : []
    }
    let (start, end) = (pattern[..<star], pattern[pattern.index(after: star)...])
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().filter { name in
      name.count >= start.count + end.count && name.hasPrefix(start) && name.hasSuffix(end)
        && (!name.hasPrefix(".") || start.hasPrefix("."))
    }.map { "\(folder)/\($0)" }
  }

  private static func advice(_ path: String) -> CopyAdvice? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    defer { if descriptor >= 0 { close(descriptor) } }
    return CopyCheck.advice(path, descriptor >= 0 && FileCheck.isFile(path) ? descriptor : nil)
  }

  /// Whether the file is never to be copied.
  package var isForbidden: Bool { entry.restores == .never || advice?.weight == .never }
}
