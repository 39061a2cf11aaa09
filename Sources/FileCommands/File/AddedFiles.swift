package import BackupFolder
package import CSPP
package import CommandKit
internal import CommandSupport
internal import SecretMemory

/// The files of one `file add`, and what became of each.
package struct AddedFiles: ~Copyable {
  /// The size from which restic is the better tool, in bytes.
  static let large: UInt64 = 1 << 30
  /// The size from which people see how far the work has come, in bytes.
  private static let shownFrom: UInt64 = 10_000_000

  /// Whether no key was asked for.
  var isSilent = false
  /// Whether this computer knows that the master key was rotated, and still writes to the backup as
  /// it was before.
  var isBehind = false
  /// Why nothing that was written counts yet; nil: it does.
  package var uncounted: UserMessage?
  /// The places of files of which another version was the current one when the backup was last
  /// opened here.
  var putAside: Set<Int> = []
  /// The path of the memory of earlier additions that could not be read; nil: it could.
  var unreadableMemory: String?
  /// The IDs of other files that were added from the same paths before, with the key or another one.
  package var earlier: [Int: String] = [:]
  package let files: [FileAddition.Planned]
  private let output: Output
  private let world: World
  private var bar: ProgressBar
  private var results: [(place: Int, version: AddedVersion)] = []
  private var failures: [(place: Int, message: UserMessage)] = []
  /// The versions that were given up; nil: nobody asked for that.
  private var pruned: PrunedVersions?
  private var pruneFailure: UserMessage?

  package init(_ files: [FileAddition.Planned], _ common: CommonOptions, _ world: World) {
    self.files = files
    self.world = world
    output = common.output(world)
    bar = ProgressBar(
      "Saving", unit: .bytes, output: output, terminalName: world.variable("TERM"),
      events: common.events(world))
  }

  /// Adds one file.
  ///
  /// - Parameters:
  ///   - place: its place among the files.
  ///   - write: adds the contents.
  /// - Throws: what stops the others, too. A fault of this file alone is remembered.
  package mutating func add(
    _ place: Int,
    _ write: (borrowing FileContents, PathComponent, (UInt64) -> Void) throws(BackupFolderError)
      -> AddedVersion
  ) throws(UserMessage) {
    try Interruption.check()
    let file = files[place]
    do throws(UserMessage) {
      let source = try FileSource(file.path, as: file.name.text, input: file.input, world)
      let total = Int(source.size)
      let isShown = source.size > Self.shownFrom
      do throws(BackupFolderError) {
        let contents = try source.contents()
        let version = try write(contents, source.name) { done in
          if isShown { bar.advance(to: Int(done), of: total) }
        }
        results.append((place, version))
      } catch {
        throw UserMessage(error)
      }
    } catch {
      // The other files may still be read.
      let isOwn = [.noInput, .permissionDenied, .usage, .dataInvalid].contains(error.code)
      let isChanged = error.code == .incomplete && files.count > 1
      guard files.count > 1, isOwn || isChanged else {
        guard !results.isEmpty else { throw error }
        throw error.adding(
          hint:
            "\(counted(results.count, "file")) \(results.count == 1 ? "was" : "were") saved before")
      }
      failures.append((place, error))
    }
  }

  /// The file of the backup that one became; nil: it was not added.
  package func file(_ place: Int) -> FileID? {
    results.last { $0.place == place }.map { Self.id($0.version) }
  }

  private static func id(_ version: AddedVersion) -> FileID {
    switch version {
    case .added(let file, _, _), .unchanged(let file): file
    }
  }

  /// Gives up old versions of the files that were added.
  ///
  /// - Parameters:
  ///   - opened: the backup.
  ///   - kept: the number of newer versions that stay.
  mutating func prune(_ opened: inout OpenNamespace, keeping kept: Int) {
    let files = Set(results.map { Self.id($0.version) })
    do throws(BackupFolderError) {
      pruned = try opened.pruneFiles(keeping: kept, of: files)
    } catch {
      pruneFailure = UserMessage(error)
    }
  }

  /// Clears the line of the progress bar.
  package mutating func finish() { bar.finish() }

  /// The exit code.
  package var exitCode: ExitReason {
    guard let first = failures.first else {
      return uncounted?.code ?? (pruneFailure == nil ? .success : .partial)
    }
    return results.isEmpty ? first.message.code : .partial
  }

  /// Shows the results, then the failures.
  ///
  /// - Throws: `io`.
  package func show(_ output: Output) throws(UserMessage) {
    let saved = results.count { if case .added = $0.version { true } else { false } }
    let change = "\(counted(saved, "file")) \(saved == 1 ? "was" : "were") saved all the same"
    if output.json {
      try output.result(json: json, ofChange: change)
      return
    }
    do throws(UserMessage) {
      for result in results { try output.result(text(result.place, result.version)) }
    } catch {
      throw UserMessage(error.code, error.message, hint: change)
    }
    for (place, id) in earlier.sorted(by: { $0.key < $1.key }) {
      output.note(
        "\"\(PrintableText.name(files[place].name.text))\" was added from this path before, as another file. "
          + "Restore brings both. To take the earlier one out: keybackup file remove \(id.prefix(8))"
      )
    }
    for failure in failures { output.warn(failure.message) }
    if let unreadableMemory {
      output.warn(
        "keybackup: \(ShellWord.quoted(unreadableMemory)) could not be read. This computer does not know "
          + "any more from which paths it added files before, and keeps a new list.")
    }
    if let uncounted { output.warn(uncounted) }
    if isBehind {
      output.warn(
        "The master key was rotated. This computer still writes to the backup as it was before, and "
          + "what it writes is late in the new one.")
      output.warn(
        "hint: to authorise it again, with your key: keybackup writers authorise")
    }
    if let pruned, pruned.versions > 0 {
      output.note(
        "Gave up \(counted(pruned.versions, "old version")); \(PrintableSize.text(pruned.bytes)) are free."
      )
    }
    if let pruneFailure {
      output.warn("keybackup: no version was given up: " + pruneFailure.message)
      if let hint = pruneFailure.hint { output.warn("hint: " + hint) }
    }
    for result in results where files[result.place].size > Self.large {
      output.note(
        "\"\(PrintableText.name(files[result.place].name.text))\" has "
          + "\(PrintableSize.text(files[result.place].size)), and each version takes as much. For such "
          + "files restic is the better tool: it stores only what changed.")
      output.note(
        "Your key can give restic its password: keybackup derive --salt restic"
      )
    }
  }

  /// The results and the failures.
  package var json: JSONOutput {
    var result: JSONOutput = [
      "silent": .bool(isSilent), "files": .array(results.map { json($0.place, $0.version) }),
      "failed": .array(
        failures.map { failure in
          [
            "name": .string(files[failure.place].name.text),
            "path": .string(files[failure.place].path), "code": .string(failure.message.word),
            "message": .string(failure.message.message),
          ]
        }),
    ]
    if isSilent {
      result["behind"] = .bool(isBehind)
      result["counts"] = .bool(uncounted == nil)
    }
    if let pruned {
      result["dropped"] = .number(pruned.versions)
      result["bytes"] = .optional(Int(exactly: pruned.bytes))
    }
    if let pruneFailure { result["not_dropped"] = .string(pruneFailure.message) }
    return result
  }

  private func text(_ place: Int, _ version: AddedVersion) -> String {
    let name = "\"\(PrintableText.name(files[place].name.text))\""
    return switch version {
    case .added(_, _, let size): "Saved \(name), \(PrintableSize.text(size))."
    case .unchanged where putAside.contains(place):
      "\(name) has not changed since this computer saved it, and another version is the current one; "
        + "nothing was written. To save it once more, add --again."
    case .unchanged where isSilent:
      "\(name) has not changed since this computer saved it; nothing was written. If it was removed "
        + "elsewhere, add --again."
    case .unchanged: "\(name) has not changed; nothing was written."
    }
  }

  private func json(_ place: Int, _ version: AddedVersion) -> JSONOutput {
    var json: JSONOutput = [
      "name": .string(files[place].name.text), "path": .string(files[place].path),
    ]
    switch version {
    case .added(let file, let operation, let size):
      json["changed"] = true
      json["file_id"] = .string(file.hex)
      json["version"] = .string(operation.digest.hex)
      json["size"] = .optional(Int(exactly: size))
    case .unchanged(let file):
      json["changed"] = false
      json["file_id"] = .string(file.hex)
      json["size"] = .optional(Int(exactly: files[place].size))
    }
    return json
  }
}
