/// The version of both commands, which `--version` prints and CHANGELOG.md describes.
public enum Version {
  /// The version.
  public static let current = "0.1.0"
}
