// This folder is for the sources of a PIN: descriptor, file, askpass, pinentry or terminal. Options
// and Authenticators use it. The authenticator of the PIN is known only by its name.

package import CommandKit
internal import CommandSupport
internal import PRFDevice
package import SecretMemory

/// The source of a PIN that nobody types.
///
/// The order: a descriptor, a file, the file of `KEYBACKUP_PIN_FILE`, the service manager's
/// credential, the file of keybackup.conf; only then is a person asked.
package enum PINSource: Sendable {
  case descriptor(Int32)
  /// A file that an option, a variable or keybackup.conf names.
  case setting(Setting)

  /// The source's word in an event.
  package var word: String {
    switch self {
    case .descriptor: "descriptor"
    case .setting: "file"
    }
  }

  /// The advice after a PIN from here was refused; nil: the caller chose it for this run.
  package var advice: String? {
    guard case .setting(let setting) = self else { return nil }
    return
      "correct the PIN in \(ShellWord.quoted(setting.value)) before anything runs again with it"
  }

  /// The longest line that is kept: the longest typed PIN, one byte that shows that it is too long,
  /// and a carriage return.
  ///
  /// It must not be shorter: a truncated PIN would be sent and would use up a try.
  package static let limit = PIN.maximumTypedBytes + 2

  /// Reads the first line without its newline; of a descriptor the next line.
  ///
  /// - Parameters:
  ///   - run: holds the lines that are read ahead.
  ///   - further: the number of further PINs that the command needs from it. A missing one is reported
  ///     before a key is touched for nothing.
  ///   - order: in which order the command asks its keys.
  /// - Returns: the PIN.
  /// - Throws: `config` when others can read the file, `no-input` when it is missing or empty or
  ///   ends too early; `data-invalid` when a file's begins or ends with a space; `io`.
  package func read(
    _ run: Run, further: Int = 0,
    _ order: String = "first the one that opens the backup"
  ) throws(UserMessage) -> SecretBytes {
    let line: SecretBytes
    let name: String
    let advice: String
    switch self {
    case .descriptor(let descriptor):
      line = try PINLines.next(descriptor, run)
      name = "the descriptor"
      advice = "write each PIN on a line of its own, one line for each key that is asked"
      if line.count > 0, further > 0 { try PINLines.lookAhead(descriptor, further, order, run) }
    case .setting(let setting):
      line = try SecretLine.read(
        file: setting.value, what: "PIN", named: setting.place,
        isRegular: setting.isAlwaysThere, limit: Self.limit)
      name = ShellWord.quoted(setting.value)
      advice = "put the PIN on its first line"
    }
    guard line.count > 0 else {
      throw UserMessage(
        .noInput, "no PIN in \(name)", hint: advice)
    }
    // What a shell leaves before its >, as of Windows. A front end's descriptor has what was typed.
    if case .setting = self, line.hasSpaceAtEdge {
      throw UserMessage(
        .dataInvalid, "the PIN in \(name) begins or ends with a space",
        hint: "no try was spent; remove the space, or type a PIN that has one at the prompt")
    }
    return line
  }
}

extension Setting {
  /// Whether it holds for every command, without being given to this one.
  package var isAlwaysThere: Bool {
    switch origin {
    case .variable, .file: true
    case .option, .credential, .remembered, .found, .standard: false
    }
  }
}
