public import CSPP

/// One namespace of a folder, before its master key is known.
public struct Namespace: Sendable {
  /// Its ID, which is its folder's name.
  public let id: NamespaceID
  let directory: Directory
  let settings: BackupFolder.Settings
  /// The backup folder, by which the state folder identifies it.
  let folder: Directory
}
