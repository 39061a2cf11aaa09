package import ArgumentParser
package import BackupFolder
package import CSPP
package import CommandKit

/// The name of a computer that becomes a silent writer.
package struct WriterLabelOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The computer's name, and the folder of its restored files (default: the host name).",
      valueName: "name"))
  package var label: String?

  package init() {}

  package mutating func validate() throws {
    if let label, PathComponent(label) == nil {
      throw ValidationError("a label has 1 to 255 bytes, no / and no control character")
    }
  }

  /// The name: the given one, else the one that this computer had, else the host's.
  ///
  /// - Parameters:
  ///   - world: what surrounds the process.
  ///   - known: the silent writer that this computer was before, whose key goes on.
  /// - Returns: the name.
  /// - Throws: `config` where the host's name cannot be one.
  package func label(
    _ world: World, continuing known: LocalSilentWriter? = nil
  ) throws(UserMessage) -> PathComponent {
    if label == nil, let known { return known.label }
    guard let name = PathComponent(label ?? world.hostName) else {
      throw UserMessage(
        .config, "this computer has no name that can be used", hint: "give it one: --label NAME")
    }
    return name
  }
}

/// Whether a line is shown as a picture, too.
package struct QROption: ParsableArguments {
  @Flag(help: "Show the line as a QR code, too.")
  package var qr = false

  package init() {}
}
