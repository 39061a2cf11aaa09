internal import CLinux
internal import Glibc

/// Standard input, read by a thread that does nothing else.
enum LineInput {
  /// Passes on every line until the stream ends.
  ///
  /// The end is noticed even while no lines are taken.
  ///
  /// - Parameters:
  ///   - isFull: whether no further line should be read for now.
  ///   - body: called for each line; nil stands for one that is too long.
  static func read(pausedWhile isFull: () -> Bool, _ body: ([UInt8]?) -> Void) {
    var splitter = LineSplitter()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let isPaused = isFull()
      // POLLHUP is reported in any case.
      var input = pollfd(
        fd: STDIN_FILENO, events: isPaused ? hangUp : hangUp | Int16(POLLIN), revents: 0)
      // The parent reads no answers: looking again soon is enough.
      let ready = unsafe poll(&input, 1, isPaused ? 20 : -1)
      if ready < 0, errno != EINTR { return }
      guard ready > 0 else { continue }
      guard input.revents & Int16(POLLIN) != 0 else { return }
      let count = unsafe Glibc.read(STDIN_FILENO, &buffer, buffer.count)
      if count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN) { return }
      if count > 0 { splitter.append(buffer[..<count], body) }
    }
  }

  /// POLLRDHUP: the other end of a socket will write no more.
  private static let hangUp: Int16 = 0x2000
}
