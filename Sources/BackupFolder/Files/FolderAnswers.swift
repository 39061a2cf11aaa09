internal import Glibc

/// Asks whether the file systems of some paths answer, and asks none again that still owes an answer.
///
/// This computer's own file systems are not asked: an answer that is late on a busy computer would
/// count as none.
package struct FolderAnswers {
  /// The questions that are not answered yet.
  private var open: [(mount: MountTable.Mount, process: ReadingProcess)] = []

  /// Begins without a question.
  package init() {}

  /// Looks whether a path can be used without blocking.
  ///
  /// Another process opens it. A process does not end while a file system blocks one of its threads;
  /// another process can be left behind: one for each file system, until it answers.
  ///
  /// - Parameters:
  ///   - path: a folder or a file, which need not exist.
  ///   - patient: whether to keep waiting; asked again and again.
  /// - Returns: false: the file system did not answer in time.
  package mutating func come(from path: String, while patient: () -> Bool) -> Bool {
    guard let mount = MountTable.current().remoteMount(onWayTo: path) else { return true }
    open.removeAll { $0.process.hasAnswer }
    if open.contains(where: { $0.mount == mount }) { return false }
    guard let process = ReadingProcess() else { return true }
    do throws(ReadingProcess.Silence) {
      let opened = try process.openFolder(path, in: nil, while: patient)
      if opened.descriptor >= 0 { close(opened.descriptor) }
      return true
    } catch {
      if error == .late { open.append((mount, process)) }
      return error != .late
    }
  }
}
