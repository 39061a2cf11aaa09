import Glibc
import SecretMemory

/// The terminal at which a person answers.
///
/// Without one, nothing is asked and nothing starts. Nothing else is read.
struct Console: Sendable {
  private let descriptor: Int32
  private let interruption: Interruption

  /// The controlling terminal; nil when there is none.
  static func open(_ interruption: Interruption) -> Console? {
    let descriptor = unsafe Glibc.open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    return descriptor < 0 ? nil : Console(descriptor: descriptor, interruption: interruption)
  }

  /// Shows a line, or the beginning of one.
  ///
  /// A terminal that has gone away does not end the work.
  func show(_ text: String, terminator: String = "\n") {
    Console.write(text + terminator, to: descriptor)
  }

  /// Writes all of the text, as far as the other end takes it.
  static func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Asks with echo; nil at the end of input or when interrupted.
  func ask(_ question: String) -> String? {
    show(question, terminator: "")
    guard let line = readLine(limit: 256) else { return nil }
    return line.withBytes {
      unsafe $0.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Asks without echo; nil at the end of input or when interrupted.
  func askSecret(_ question: String) -> SecretBytes? {
    var before = termios()
    let isTerminal = unsafe tcgetattr(descriptor, &before) == 0
    var hidden = before
    hidden.c_lflag &= ~tcflag_t(ECHO | ECHONL)
    if isTerminal { unsafe tcsetattr(descriptor, TCSAFLUSH, &hidden) }
    defer {
      if isTerminal { unsafe tcsetattr(descriptor, TCSAFLUSH, &before) }
      show("")
    }
    show(question, terminator: "")
    return readLine(limit: 1024)
  }

  private func readLine(limit: Int) -> SecretBytes? {
    var line = SecretBytes(zeroed: limit)
    var count = 0
    while true {
      // A signal does not interrupt this read, so look for one now and then.
      var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let isReady = unsafe poll(&ready, 1, 100) > 0
      if interruption.signal != nil { return nil }
      guard isReady else { continue }
      var byte: UInt8 = 0
      guard unsafe read(descriptor, &byte, 1) == 1 else { return nil }
      if byte == 10 || byte == 13 { break }
      guard count < limit else { return nil }
      line.withMutableBytes { $0.storeBytes(of: byte, toByteOffset: count, as: UInt8.self) }
      count += 1
    }
    line.resize(to: count)
    return line
  }
}
