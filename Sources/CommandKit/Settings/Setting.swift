internal import CommandSupport

/// A setting's value in force, and where it comes from.
package struct Setting: Sendable, Equatable {
  package var name: SettingName
  package var value: String
  package var origin: Origin

  /// Where a value comes from.
  package enum Origin: Sendable, Equatable {
    case option(String)
    case variable(String)
    /// `keybackup.conf`.
    case file(String, line: Int)
    /// The service manager's credential.
    case credential
    /// The folder that `init` remembered.
    case remembered
    /// A sync program's folder that holds a backup.
    case found(String)
    case standard

    /// The word in JSON.
    package var word: String {
      switch self {
      case .option: "option"
      case .variable: "variable"
      case .file: "file"
      case .credential: "credential"
      case .remembered: "remembered"
      case .found: "found"
      case .standard: "default"
      }
    }
  }

  package init(name: SettingName, value: String, origin: Origin) {
    self.name = name
    self.value = value
    self.origin = origin
  }

  /// The place to look at when the value is wrong.
  package var place: String {
    switch origin {
    case .option(let name), .variable(let name): name
    case .file(let path, let line):
      "\(name.rawValue) in \(ShellWord.quoted(path)), line \(line)"
    case .credential: "the credential keybackup.pin"
    case .remembered: "the folder that keybackup init remembered"
    case .found(let title): "the folder of \(title)"
    case .standard: "the default"
    }
  }
}

extension World {
  /// The file that `KEYBACKUP_PIN_FILE` names; nil: it is not set.
  ///
  /// - Throws: `config` for what is no whole path. It is not repeated: it may be a PIN.
  package func pinFileVariable() throws(UserMessage) -> Setting? {
    let name = "KEYBACKUP_PIN_FILE"
    guard let value = variable(name) else { return nil }
    guard value.hasPrefix("/") else {
      throw UserMessage(
        .config, "\(name) is no path that begins with /",
        hint: "name the file that holds the PIN in \(name); a PIN does not belong in a variable")
    }
    return Setting(name: .pinFile, value: value, origin: .variable(name))
  }

  /// The file of the service manager's credential; nil: there is none.
  package var pinCredential: Setting? {
    guard let folder = variable("CREDENTIALS_DIRECTORY") else { return nil }
    let path = folder + "/keybackup.pin"
    guard FileCheck.exists(path) else { return nil }
    return Setting(name: .pinFile, value: path, origin: .credential)
  }
}
