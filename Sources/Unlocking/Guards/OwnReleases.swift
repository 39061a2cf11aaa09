internal import BackupFolder
package import CSPP
package import CommandKit
internal import FoundationEssentials
package import GuardProtocol
internal import SyncFolders

/// The releases that this computer began for a way in, so that they are not taken for a stranger's.
///
/// There is no secret in it: the guards tell the IDs to anyone who has the folder.
package struct OwnReleases: Codable, Equatable, Sendable {
  /// One release.
  package struct Release: Codable, Equatable, Sendable {
    /// When it was begun, in Unix seconds.
    var begun: UInt64
    /// When the backup opened with it, in Unix seconds; nil: not yet.
    package var used: UInt64?
  }

  private var releases: [String: Release] = [:]

  private static let fileLimit = 65_536
  /// The most releases that are kept.
  private static let most = 64

  /// The release with this ID; nil: this computer did not begin it.
  package subscript(_ id: ReleaseID) -> Release? { releases[id.hex] }

  /// Takes a release in, or that it was used.
  package mutating func note(_ id: ReleaseID, isUsed: Bool, at now: UInt64) {
    var release = releases[id.hex] ?? Release(begun: now)
    if isUsed { release.used = release.used ?? now }
    releases[id.hex] = release
    let oldest = releases.min { ($0.value.begun, $0.key) < ($1.value.begun, $1.key) }
    if releases.count > Self.most, let oldest { releases[oldest.key] = nil }
  }

  // MARK: The file

  /// The releases of a key slot.
  package static func of(_ keyID: KeyID, _ world: World) -> OwnReleases {
    guard let folder = world.guardFolder,
      let text = ForeignFile.text("\(folder)/\(name(keyID))", limit: fileLimit),
      let known = try? JSONDecoder().decode(OwnReleases.self, from: Data(text.utf8))
    else { return OwnReleases() }
    return known
  }

  /// Stores that a release was begun or used; without it a later run takes it for a stranger's.
  package static func note(_ id: ReleaseID, of keyID: KeyID, isUsed: Bool, _ world: World) {
    var known = of(keyID, world)
    known.note(id, isUsed: isUsed, at: UInt64(max(0, world.now())))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    guard let folder = world.guardFolder, let bytes = try? encoder.encode(known) else { return }
    try? PrivateFolder.replace(Array(bytes), as: name(keyID), in: folder)
  }

  private static func name(_ keyID: KeyID) -> String { "releases-\(keyID.hex).json" }
}
