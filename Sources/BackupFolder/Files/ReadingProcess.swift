internal import CReadingProcess
internal import Glibc
internal import SecretMemory
internal import Synchronization

/// A process that opens, lists and reads for this one where that may block (docs/decisions/0015).
///
/// A blocked process can be left behind; a blocked thread cannot.
final class ReadingProcess: Sendable {
  /// The reason why no answer came.
  enum Silence: Error, Equatable {
    /// The answer did not come in time; the process cannot be used any more.
    case late
    /// The process has ended.
    case ended
  }

  private let socket: Int32
  private let process: pid_t
  /// Tells before every pause whether to keep waiting.
  typealias TimeLimit = () -> Bool

  /// Starts a process; nil when the system cannot start one.
  init?() {
    var socket: Int32 = -1
    let process = unsafe keybackup_start_reading_process(&socket)
    guard process > 0 else { return nil }
    self.socket = socket
    self.process = process
  }

  deinit {
    close(socket)
    kill(process, SIGKILL)
    Self.reap(process)
  }

  /// Processes that were killed and have not ended yet.
  private static let ending = Mutex<Set<pid_t>>([])

  /// Reaps a process, as the system demands of its parent.
  ///
  /// A stuck process ends when the file system lets it. It is tried again when the next process is
  /// reaped.
  private static func reap(_ process: pid_t) {
    ending.withLock { ending in
      ending.insert(process)
      for _ in 0..<50 {
        ending = ending.filter { waitpid($0, nil, WNOHANG) == 0 }
        if !ending.contains(process) { return }
        usleep(1_000)
      }
    }
  }

  /// Whether an answer has come that nobody took, or the process has ended.
  var hasAnswer: Bool {
    var ready = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&ready, 1, 0) != 0
  }

  /// Opens a folder by its path, or by its name in another folder.
  ///
  /// - Returns: a descriptor, or the call's `errno`.
  func openFolder(
    _ name: String, in folder: Int32?, while patient: TimeLimit
  ) throws(Silence) -> (descriptor: Int32, error: Int32) {
    let operation = folder == nil ? KEYBACKUP_OPEN_FOLDER : KEYBACKUP_OPEN_SUBFOLDER
    try send(operation, name, folder: folder ?? -1)
    var descriptor: Int32 = -1
    let answer = try answer(while: patient, &descriptor)
    if answer.error == 0, descriptor < 0 { throw .ended }
    return (descriptor, answer.error)
  }

  /// Opens a file for reading, by its name in a folder.
  ///
  /// - Returns: a descriptor, or the call's `errno`.
  func openFile(
    _ name: String, in folder: Int32, while patient: TimeLimit
  ) throws(Silence) -> (descriptor: Int32, error: Int32) {
    try send(KEYBACKUP_OPEN_FILE, name, folder: folder)
    var descriptor: Int32 = -1
    let answer = try answer(while: patient, &descriptor)
    if answer.error == 0, descriptor < 0 { throw .ended }
    return (descriptor, answer.error)
  }

  /// Checks whether a name is in use.
  ///
  /// - Returns: 0 or the call's `errno`.
  func look(
    for name: String, in folder: Int32, while patient: TimeLimit
  ) throws(Silence) -> Int32 {
    try send(KEYBACKUP_LOOK, name, folder: folder)
    var none: Int32 = -1
    return try answer(while: patient, &none).error
  }

  /// Reads a whole regular file.
  ///
  /// - Returns: 0, the call's `errno`, or a code such as `KEYBACKUP_TOO_LARGE`.
  func readFile(
    _ name: String, in folder: Int32, limit: Int, into bytes: inout SecretBytes,
    while patient: TimeLimit
  ) throws(Silence) -> Int32 {
    try send(KEYBACKUP_READ_FILE, name, folder: folder, limit: limit)
    var none: Int32 = -1
    let answer = try answer(while: patient, &none)
    guard answer.error == 0 else { return answer.error }
    guard (0...limit).contains(Int(answer.count)) else { throw .ended }
    bytes.reuse(count: Int(answer.count))
    let received = unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe keybackup_receive(socket, bytes.baseAddress, Int(answer.count), nil)
    }
    guard received == 0 else { throw .ended }
    return 0
  }

  /// Lists a folder.
  ///
  /// - Returns: the names without `.` and `..`, each followed by a zero byte; and the call's
  ///   `errno`.
  func list(
    _ folder: Int32, while patient: TimeLimit
  ) throws(Silence) -> (names: [UInt8], error: Int32) {
    try send(KEYBACKUP_LIST, "", folder: folder)
    var names: [UInt8] = []
    var entries: [UInt8] = []
    while true {
      var none: Int32 = -1
      let answer = try answer(while: patient, &none)
      if answer.error != 0 || answer.count == 0 { return (names, answer.error) }
      guard (0...(1 << 20)).contains(answer.count) else { throw .ended }
      entries = [UInt8](repeating: 0, count: Int(answer.count))
      let received = unsafe entries.withUnsafeMutableBytes { bytes in
        unsafe keybackup_receive(socket, bytes.baseAddress, bytes.count, nil)
      }
      guard received == 0 else { throw .ended }
      Self.append(entries, to: &names)
    }
  }

  /// Extracts the names from the output of getdents64(2).
  private static func append(_ entries: [UInt8], to names: inout [UInt8]) {
    // struct linux_dirent64: inode and offset, 8 bytes each; the record's size, 2 bytes; a type, 1
    // byte; the name up to a zero byte.
    let (sizeAt, nameAt) = (16, 19)
    var start = 0
    while start + nameAt < entries.count {
      let size = Int(entries[start + sizeAt]) | Int(entries[start + sizeAt + 1]) << 8
      guard size > nameAt, start + size <= entries.count else { return }
      let name = entries[start + nameAt..<start + size].prefix { $0 != 0 }
      if !name.elementsEqual(".".utf8), !name.elementsEqual("..".utf8) { names += name + [0] }
      start += size
    }
  }

  private func send(
    _ operation: some BinaryInteger, _ name: String, folder: Int32, limit: Int = 0
  ) throws(Silence) {
    let bytes = Array(name.utf8)
    var request = keybackup_request(
      limit: Int64(limit), operation: Int32(operation), length: Int32(bytes.count))
    let size = MemoryLayout<keybackup_request>.size
    guard unsafe keybackup_send(socket, &request, size, folder) == 0,
      unsafe keybackup_send(socket, bytes, bytes.count, -1) == 0
    else { throw .ended }
  }

  private func answer(
    while patient: TimeLimit, _ descriptor: inout Int32
  ) throws(Silence) -> keybackup_answer {
    var ready = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    while unsafe poll(&ready, 1, 100) == 0 {
      if !patient() { throw .late }
    }
    var answer = keybackup_answer()
    let size = MemoryLayout<keybackup_answer>.size
    guard unsafe keybackup_receive(socket, &answer, size, &descriptor) == 0 else { throw .ended }
    return answer
  }
}
