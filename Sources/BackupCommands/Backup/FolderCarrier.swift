internal import CommandKit
internal import SyncFolders

/// The program or file system that brings a backup's folder to another place.
enum FolderCarrier: Sendable {
  /// A sync program or server, by its title.
  case carried(String)
  /// None that was found.
  case alone

  /// Seconds that the sync folders of this computer may take to answer.
  private static let patience = 3.0

  /// Looks at what this computer's sync programs have written down.
  ///
  /// - Parameters:
  ///   - path: the folder.
  ///   - world: where their settings are.
  /// - Returns: nil: something did not answer in time.
  static func look(at path: String, _ world: World) -> FolderCarrier? {
    TimeLimit.result(within: patience) {
      let place = FileCheck.absolute(path) ?? path
      if let folder = PlaceReport(path, known: KnownSyncFolders.find(world)).folder {
        return .carried(folder.title)
      }
      return BisyncSession.find(place, world) == nil ? .alone : .carried("rclone bisync")
    }
  }
}

/// The first line of `status`.
enum StatusVerdict {
  /// How it begins where something is wrong.
  static let attention = "Attention: "

  /// Columns before the text of a line that begins with what it is about; nil: any other line.
  static func margin(of line: String) -> Int? {
    line.first?.isUppercase == true && line.dropFirst(9).hasPrefix("  ") ? 11 : nil
  }

  /// The part of a piece of advice that the verdict has not said; nil if there is none.
  static func rest(of advice: String, after verdict: String?) -> String? {
    guard let verdict else { return advice }
    let said = verdict.dropFirst(attention.count)
    if advice == said || advice + "." == said { return nil }
    guard said.hasSuffix("."), advice.hasPrefix(said.dropLast() + "; ") else { return advice }
    return String(advice.dropFirst(said.count + 1))
  }
}
