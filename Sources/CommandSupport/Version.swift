/// The version of both commands, which `--version` prints and CHANGELOG.md describes.
package enum Version {
  /// The version.
  package static let current = "0.1.0"
}
