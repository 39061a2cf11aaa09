internal import Glibc

/// Whether a folder answers that may lie on a file system of another program or computer.
package enum FolderAnswer {
  /// Opens a folder in another process.
  ///
  /// A process does not end while a file system blocks one of its threads. Another process can be
  /// left behind.
  ///
  /// - Parameters:
  ///   - path: the folder, which need not exist.
  ///   - patient: whether to keep waiting; asked again and again.
  /// - Returns: false: the file system did not answer in time.
  package static func comes(from path: String, while patient: () -> Bool) -> Bool {
    guard let process = ReadingProcess() else { return true }
    do throws(ReadingProcess.Silence) {
      let opened = try process.openFolder(path, in: nil, while: patient)
      if opened.descriptor >= 0 { close(opened.descriptor) }
      return true
    } catch {
      return error != .late
    }
  }
}
