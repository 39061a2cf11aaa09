/// One computer's copy of the folder, a real folder, and what its
/// synchronisation program knows of it.
final class Replica {
  /// A version of a file: its content (`nil`: deleted) and when it was made.
  struct Version {
    let content: Content?
    let time: Int
  }

  /// A version that is on its way here.
  struct Delivery {
    let path: String
    let version: Version
  }

  let folder: String
  /// What is or was here, as the synchronisation program knows it.
  var versions: [String: Version] = [:]
  /// Files that have only partly arrived.
  var partial: [String: Content] = [:]
  var pending: [Delivery] = []
  /// Whether nothing gets in for now. (What is written meanwhile gets in with
  /// the others late, which comes to the same as not getting out.)
  var isCutOff = false

  init(folder: String) {
    self.folder = folder
    Disk.makeFolder(folder)
  }

  /// What a program reads here, by path.
  var files: [String: Content] {
    versions.compactMapValues(\.content).merging(partial) { $1 }
  }

  /// Puts what is here back to an earlier state.
  func replace(with state: [String: Version]) {
    Disk.remove(folder)
    Disk.makeFolder(folder)
    versions = state
    partial = [:]
    for (path, version) in state {
      if let content = version.content { Disk.write(content.bytes, to: "\(folder)/\(path)") }
    }
  }

  /// Changes one file behind everyone's back.
  func tamper(_ path: String, _ content: Content?, time: Int) {
    versions[path] = Version(content: content, time: time)
    partial[path] = nil
    show(path)
  }

  /// Brings the file on the disk in line with what is known of it.
  func show(_ path: String) {
    if let content = partial[path] ?? versions[path]?.content {
      Disk.write(content.bytes, to: "\(folder)/\(path)")
    } else {
      Disk.remove("\(folder)/\(path)")
    }
  }
}
