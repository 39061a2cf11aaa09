internal import Glibc

/// Asks whether the file systems of some paths answer, and does not wait for one that was silent again.
///
/// This computer's own file systems are not asked: an answer that is late on a busy computer would
/// count as none.
package struct FolderAnswers {
  /// The file systems that did not answer.
  private var silent: [MountTable.Mount] = []

  /// Begins without knowing of any.
  package init() {}

  /// Looks whether a path can be used without blocking.
  ///
  /// Another process opens it. A process does not end while a file system blocks one of its threads;
  /// another process can be left behind.
  ///
  /// - Parameters:
  ///   - path: a folder or a file, which need not exist.
  ///   - patient: whether to keep waiting; asked again and again.
  /// - Returns: false: the file system did not answer in time.
  package mutating func come(from path: String, while patient: () -> Bool) -> Bool {
    guard let mount = MountTable.current().remoteMount(onWayTo: path) else { return true }
    if silent.contains(mount) { return false }
    guard let process = ReadingProcess() else { return true }
    do throws(ReadingProcess.Silence) {
      let opened = try process.openFolder(path, in: nil, while: patient)
      if opened.descriptor >= 0 { close(opened.descriptor) }
      return true
    } catch {
      if error == .late { silent.append(mount) }
      return error != .late
    }
  }
}
