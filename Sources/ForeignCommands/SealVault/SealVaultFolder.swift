internal import CommandKit
internal import CommandSupport
internal import ForeignBackups
internal import FoundationEssentials

/// A file that may be a SealVault backup, by its name.
struct SealVaultFile: Sendable {
  /// How a file stands, as far as its name tells.
  enum State: String, Sendable {
    /// A name as SealVault gives it.
    case named
    /// A sync program changed the name, or another program did.
    case renamed
    /// iCloud has left a placeholder here.
    case notDownloaded = "not-downloaded"
    /// A scheme that this program does not know.
    case unsupported
  }

  /// The name of the file.
  let file: String
  /// The name's parts; nil where it was changed.
  let name: SealVaultName?
  let state: State

  /// Nil for a file of another program.
  ///
  /// - Parameter file: a name of the folder.
  init?(_ file: String) {
    self.file = file
    if let name = SealVaultName(file) {
      self.name = name
      state = name.scheme == SealVaultName.knownScheme ? .named : .unsupported
    } else if file.hasPrefix("." + SealVaultName.prefix), file.hasSuffix(".zip.icloud") {
      name = SealVaultName(String(file.dropFirst().dropLast(".icloud".count)))
      state = .notDownloaded
    } else if file.contains(SealVaultName.prefix), file.contains(".zip") {
      name = nil
      state = .renamed
    } else {
      return nil
    }
  }
}

/// The SealVault backups of a folder.
struct SealVaultFolder {
  /// The newest first, as SealVault would choose; those without a name of its own last.
  let files: [SealVaultFile]
  /// How many zip files have none of these names.
  let otherZips: Int

  /// Lists a folder.
  ///
  /// - Parameters:
  ///   - path: the folder.
  ///   - advice: what to do where there is none.
  /// - Throws: `no-input`, `permission-denied`.
  init(
    _ path: String, advice: String = "name the folder with the zip files"
  ) throws(UserMessage) {
    guard FileCheck.isFolder(path) else {
      throw UserMessage(
        .noInput, "\(ShellWord.quoted(path)) is no folder",
        hint: FileCheck.unexpanded(path) ?? advice)
    }
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      throw UserMessage(
        .permissionDenied, "the folder \(ShellWord.quoted(path)) cannot be read",
        hint: "check its permissions")
    }
    let found = names.compactMap(SealVaultFile.init)
    otherZips = names.count { name in
      SealVaultFile(name) == nil && name.lowercased().hasSuffix(".zip")
    }
    files = found.sorted { first, second in
      switch (first.name, second.name) {
      case (let first?, let second?): first.isNewer(than: second)
      case (_?, nil): true
      case (nil, _?): false
      case (nil, nil): first.file < second.file
      }
    }
  }

  /// The names of a device's backups, by what they claim; placeholders are none.
  func all(of deviceID: String) -> [String] {
    files.filter { $0.state == .named && $0.name?.deviceID == deviceID }.map(\.file)
  }

  /// The names that may be of a device and are none of its backups: changed ones, placeholders, and
  /// those of another scheme.
  func others(of deviceID: String) -> [String] {
    files.filter { $0.state != .named && ($0.name == nil || $0.name?.deviceID == deviceID) }
      .map(\.file)
  }
}
