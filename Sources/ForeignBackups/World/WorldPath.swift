package import CSPP

/// Where a file of an archive belongs: a relative path that stays below its folder.
package struct WorldPath: Hashable, Sendable {
  /// The path, with `/` between the names.
  package let text: String
  /// Its names, one at least.
  package let components: [PathComponent]

  /// Creates a path; nil for one that is absolute, leaves its folder, has a control character or
  /// more than ``WorldLimits/names`` names, or is not as an archive spells it.
  ///
  /// - Parameter text: as it stands in the archive.
  package init?(_ text: String) {
    guard text.utf8.count <= WorldLimits.path else { return nil }
    var components: [PathComponent] = []
    for name in text.split(separator: "/", omittingEmptySubsequences: false) {
      guard let component = PathComponent(String(name)) else { return nil }
      components.append(component)
    }
    guard components.count <= WorldLimits.names else { return nil }
    self.text = text
    self.components = components
  }

  /// The path without the difference between capital and small letters.
  ///
  /// Some disks hold only one of two files that differ in nothing else.
  var folded: String { text.lowercased() }

  /// The folded paths of the folders that it lies in.
  var foldedFolders: [String] {
    (1..<components.count).map { count in
      components.prefix(count).map(\.text).joined(separator: "/").lowercased()
    }
  }
}

/// The paths of an archive, none of which may stand in the way of another one.
struct WorldPaths {
  private var files: Set<String>
  private var folders: Set<String> = []

  /// - Parameter reserved: names that no file may have.
  init(reserved: [String]) { files = Set(reserved.map { $0.lowercased() }) }

  /// Adds a path.
  ///
  /// - Returns: false if a file or a folder has it already, also in other letters.
  mutating func insert(_ path: WorldPath) -> Bool {
    guard !folders.contains(path.folded), files.insert(path.folded).inserted else { return false }
    for folder in path.foldedFolders {
      if files.contains(folder) { return false }
      folders.insert(folder)
    }
    return true
  }
}
