// This folder is for World App's backup, version V0: a sealed archive, the keys around it, and the
// root secret in it. It is read, never written: no server would take it.

/// The limits of what is read, in bytes unless it says otherwise.
package enum WorldLimits {
  /// The sealed archive: what World's server takes.
  package static let sealedArchive = 15 << 20
  /// The archive when it is unpacked.
  package static let archive = 128 << 20
  /// One entry of the archive, encoded.
  package static let entry = 32 << 20
  /// The number of files in an archive.
  package static let files = 4096
  /// A path.
  package static let path = 1024
  /// The number of names in a path; World App uses 2.
  package static let names = 32
  /// `root_secret.json`.
  package static let rootSecret = 64 << 10
  /// The server's metadata.
  package static let metadata = 1 << 20
}
