package import CSPP
package import CommandKit

/// The answer of the engine that synchronises the folder: whether the files written here have
/// reached another place.
///
/// It never states more than the engine said.
package struct SyncAnswer: Sendable, Equatable {
  /// The engine; nil if keybackup knows none that synchronises the folder.
  package var engine: SyncEngine?
  /// Whether the files are synchronised; nil if unknown.
  package var isSynchronised: Bool?
  /// The engine's statement, or the reason why it made none.
  package var words: String

  /// The total time limit of the engine, in seconds.
  package static let patience = 5.0

  package static func yes(_ engine: SyncEngine, _ words: String) -> SyncAnswer {
    SyncAnswer(engine: engine, isSynchronised: true, words: words)
  }

  static func notYet(_ engine: SyncEngine, _ words: String) -> SyncAnswer {
    SyncAnswer(engine: engine, isSynchronised: false, words: words)
  }

  package static func unknown(_ engine: SyncEngine?, _ words: String) -> SyncAnswer {
    SyncAnswer(engine: engine, isSynchronised: nil, words: words)
  }

  /// Asks the engine that synchronises a backup.
  ///
  /// - Parameters:
  ///   - path: the backup folder.
  ///   - namespace: the namespace of the files.
  ///   - world: gives the engines' settings.
  /// - Returns: the answer, within about ``patience``.
  package static func ask(_ path: String, _ namespace: NamespaceID, _ world: World) -> SyncAnswer {
    let place = FileCheck.absolute(path) ?? path
    let report = PlaceReport(path, known: KnownSyncFolders.find(world))
    let bisync = BisyncSession.find(place, world)
    guard let engine = report.folder?.engine ?? bisync.map({ _ in .rcloneBisync }) else {
      return .unknown(nil, "nothing that keybackup knows synchronises this folder")
    }
    let root = report.folder?.path ?? place
    let answer = TimeLimit.result(within: patience) {
      let files = SyncedFile.list(place + "/" + FolderLayout.namespaces + "/" + namespace.hex)
      guard let files, !files.isEmpty else {
        return SyncAnswer.unknown(engine, "the backup's files cannot be listed")
      }
      return switch engine {
      case .syncthing: SyncthingQuestion.ask(files, in: root, namespace, place, world)
      case .rclone: RcloneQuestion.ask(mountedAt: root)
      case .rcloneBisync:
        bisync?.answer(files) ?? .unknown(engine, "its record is gone")
      case .nextcloud: NextcloudQuestion.ask(files, world)
      default: .unknown(engine, "keybackup knows no way to ask \(engine.name)")
      }
    }
    return answer ?? .unknown(engine, "\(engine.name) gave no answer in time")
  }

  /// The answer as a line of `status`.
  package var text: String {
    let by = engine.map { "\($0.name): " } ?? ""
    return switch isSynchronised {
    case true?: "yes (\(by)\(words))"
    case false?: "not yet (\(by)\(words))"
    case nil: "written here; whether it reached another place is not known (\(by)\(words))"
    }
  }

  /// A count with its noun: "1 file", "2 files".
  package static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }
}
