internal import ArgumentParser
package import BackupFolder

/// Whether a person decides although something of a silent writer's history is missing.
package struct GapOption: ParsableArguments {
  @Flag(help: "Go on even if changes are missing that may never come.")
  package var despiteGaps = false

  package init() {}

  /// The message for an error, with the way on where changes are missing and it was not taken.
  package func explained(_ error: BackupFolderError) -> UserMessage {
    let message = UserMessage(error)
    switch error {
    case .file(.historyIncomplete) where !despiteGaps: break
    case .file(.lateContentsDamaged) where !despiteGaps: break
    case .cannotRotate(.filesMissing) where !despiteGaps: break
    case .cannotRotate(.unfinished) where !despiteGaps,
      .cannotRotate(.onlyCopies) where !despiteGaps:
      return message.adding(
        hint: "to begin again and leave there what others wrote: --despite-gaps")
    default: return message
    }
    var explained = message
    let isDamaged = error == .file(.lateContentsDamaged)
    explained.hint =
      (message.hint.map { $0 + "\n" } ?? "")
      + (isDamaged
        ? "to decide all the same: --despite-gaps"
        : "if it never comes, go on without it: --despite-gaps")
    return explained
  }
}
