internal import CSPP

/// Whether what is written here has reached another place, as the engine that
/// carries the folder says; never more than it said.
struct SyncAnswer: Sendable, Equatable {
  /// The engine; nil: nothing that keybackup knows carries the folder.
  var engine: SyncEngine?
  /// Nil: it cannot be told.
  var isSynchronised: Bool?
  /// What the engine said, or why it said nothing.
  var words: String

  /// How long the engine may take in all, in seconds.
  static let patience = 5.0

  static func yes(_ engine: SyncEngine, _ words: String) -> SyncAnswer {
    SyncAnswer(engine: engine, isSynchronised: true, words: words)
  }

  static func notYet(_ engine: SyncEngine, _ words: String) -> SyncAnswer {
    SyncAnswer(engine: engine, isSynchronised: false, words: words)
  }

  static func unknown(_ engine: SyncEngine?, _ words: String) -> SyncAnswer {
    SyncAnswer(engine: engine, isSynchronised: nil, words: words)
  }

  /// Asks the engine that carries a backup.
  ///
  /// - Parameters:
  ///   - path: the backup folder.
  ///   - namespace: whose files are meant.
  ///   - world: where the engines' settings are.
  /// - Returns: the answer, within about ``patience``.
  static func ask(_ path: String, _ namespace: NamespaceID, _ world: World) -> SyncAnswer {
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
      case .nextcloud, .ownCloud: DesktopClientQuestion.ask(engine, files, world)
      case .dropbox: DropboxQuestion.ask(files, world)
      default: .unknown(engine, "keybackup knows no way to ask \(engine.name)")
      }
    }
    return answer ?? .unknown(engine, "\(engine.name) gave no answer in time")
  }

  /// As a line of `status`.
  var text: String {
    let by = engine.map { "\($0.name): " } ?? ""
    return switch isSynchronised {
    case true?: "yes (\(by)\(words))"
    case false?: "not yet (\(by)\(words))"
    case nil: "written here; whether it reached another place is not known (\(by)\(words))"
    }
  }

  /// "1 file", "2 files".
  static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }
}
