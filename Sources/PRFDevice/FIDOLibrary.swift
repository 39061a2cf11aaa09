internal import CFido2
internal import Glibc

/// The libfido2 with which the process runs.
public enum FIDOLibrary {
  /// A feature of a later version that this package does not require.
  public struct Feature: Sendable, Equatable {
    /// The function whose presence shows the feature.
    public let function: String
    /// The version that introduced it.
    public let since: String
    /// Its benefit to the user.
    public let benefit: String
  }

  /// The file from which it was loaded, without symbolic links.
  public static var path: String? {
    guard let name = unsafe keybackup_fido_path(),
      let resolved = unsafe realpath(name, nil)
    else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// Its version such as "1.12.0"; nil when the file's name does not state it.
  ///
  /// The library itself has no function for that.
  public static var version: String? {
    guard let path, let suffix = path.split(separator: "/").last?.firstRange(of: ".so.") else {
      return nil
    }
    let version = path[suffix.upperBound...]
    return version.contains(".") ? String(version) : nil
  }

  /// The features that this version lacks.
  public static var missing: [Feature] { features.filter { !has($0.function) } }

  private static let features = [
    Feature(
      function: "fido_cred_set_hmac_salt", since: "1.17",
      benefit: "one touch less at enrolment, on keys that give their secret while it is made"),
    Feature(
      function: "fido_dev_get_puat", since: "1.17",
      benefit: "the PIN is sent once for several commands"),
    Feature(
      function: "fido_cbor_info_decrypt", since: "1.17",
      benefit: "a key that is told from others of its model without a touch"),
  ]

  private static func has(_ function: String) -> Bool {
    // The program itself and all its linked libraries.
    guard let program = unsafe dlopen(nil, RTLD_NOW) else { return false }
    defer { unsafe dlclose(program) }
    return unsafe dlsym(program, function) != nil
  }
}
