internal import CommandKit
internal import PRFDevice

/// The libfido2 in use.
enum LibraryCheck {
  static func run() -> Check {
    let version = FIDOLibrary.version ?? "of unknown version"
    let missing = FIDOLibrary.missing
    var check = Check.ok(
      "libfido2", "\(version)" + (FIDOLibrary.path.map { " (\($0))" } ?? ""),
      hint: missing.isEmpty
        ? nil
        : "a newer one would add:\n"
          + missing.map { "  \($0.benefit) (\($0.since))" }.joined(separator: "\n"))
    check.details = [
      "version": .optional(FIDOLibrary.version),
      "missing": .array(missing.map { .string($0.function) }),
    ]
    return check
  }
}
