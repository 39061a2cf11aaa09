internal import Glibc
internal import NIOPosix

/// Standard output, which the parent may read slowly: a thread of its own writes, line by line.
struct LineOutput: Sendable {
  private let thread = NIOThreadPool(numberOfThreads: 1)

  init() { thread.start() }

  /// Writes a line.
  ///
  /// Ends the process where the parent reads no more.
  func write(_ line: AnswerLine) async {
    // The pool is never shut down, so this cannot fail.
    try? await thread.runIfActive { Self.writeAll(line.bytes) }
  }

  private static func writeAll(_ bytes: [UInt8]) {
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { memory in
        unsafe Glibc.write(
          STDOUT_FILENO, memory.baseAddress?.advanced(by: written), memory.count - written)
      }
      if count > 0 { written += count } else if errno != EINTR { _exit(EX_IOERR) }
    }
  }
}
