/// One computer's copy of the folder, in a real folder, with the state of its synchronisation
/// program.
final class Replica {
  /// A version of a file: its content (`nil` if deleted) and its time.
  struct Version {
    let content: Content?
    let time: Int
  }

  /// A version that has not been delivered here yet.
  struct Delivery {
    let path: String
    let version: Version
  }

  let folder: String
  /// The present and past contents, as the synchronisation program knows them.
  var versions: [String: Version] = [:]
  /// The files that have arrived only partly.
  var partial: [String: Content] = [:]
  var pending: [Delivery] = []
  /// Whether nothing is delivered for now.
  ///
  /// Versions from the meantime are delivered late with the others, which is equivalent to not
  /// being sent.
  var isCutOff = false

  init(folder: String) {
    self.folder = folder
    Disk.makeFolder(folder)
  }

  /// The contents that a program reads here, by path.
  var files: [String: Content] {
    versions.compactMapValues(\.content).merging(partial) { $1 }
  }

  /// Restores the contents to an earlier state.
  func replace(with state: [String: Version]) {
    Disk.remove(folder)
    Disk.makeFolder(folder)
    versions = state
    partial = [:]
    for (path, version) in state {
      if let content = version.content { Disk.write(content.bytes, to: "\(folder)/\(path)") }
    }
  }

  /// Changes one file without the synchronisation program.
  func tamper(_ path: String, _ content: Content?, time: Int) {
    versions[path] = Version(content: content, time: time)
    partial[path] = nil
    show(path)
  }

  /// Updates the file on the disk from the known state.
  func show(_ path: String) {
    if let content = partial[path] ?? versions[path]?.content {
      Disk.write(content.bytes, to: "\(folder)/\(path)")
    } else {
      Disk.remove("\(folder)/\(path)")
    }
  }
}
