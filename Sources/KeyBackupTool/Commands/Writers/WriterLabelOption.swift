internal import ArgumentParser
internal import CSPP

/// The name of a computer that becomes a silent writer.
struct WriterLabelOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The computer's name, and the folder of its restored files (default: the host name).",
      valueName: "name"))
  var label: String?

  mutating func validate() throws {
    if let label, PathComponent(label) == nil {
      throw ValidationError("a label has 1 to 255 bytes, no / and no control character")
    }
  }

  /// The name.
  ///
  /// - Throws: `config` where the host's name cannot be one.
  func label(_ world: World) throws(UserMessage) -> PathComponent {
    guard let name = PathComponent(label ?? world.hostName) else {
      throw UserMessage(
        .config, "this computer has no name that can be used", hint: "give it one: --label NAME")
    }
    return name
  }
}

/// Whether a line is shown as a picture, too.
struct QROption: ParsableArguments {
  @Flag(help: "Show the line as a QR code, too.")
  var qr = false
}
