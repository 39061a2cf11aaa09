// This folder is for talking to the person and the calling program: results, notes,
// questions, events, signals. Later rooms speak through Output and Prompter only. No
// authenticator, option or command is known here.

internal import Glibc
package import SecretMemory
internal import Synchronization

/// The controlling terminal: where a person is asked, even when standard input
/// and output are pipes.
package struct Terminal: Sendable {
  /// Descriptor open for reading and writing.
  package let descriptor: Int32

  /// Its abilities.
  private let screen: @Sendable () -> Screen
  private let run: Run

  /// Opens it; nil when there is none.
  package static func open(_ world: World) -> Terminal? {
    guard let descriptor = world.streams.terminal() else { return nil }
    let (streams, environment) = (world.streams, world.environment)
    return Terminal(
      descriptor: descriptor, screen: { Screen(descriptor, streams, environment) }, run: world.run)
  }

  /// Writes text as it is.
  package func show(_ text: String) {
    try? unsafe Output.writeAll(Array(text.utf8).span.bytes, to: descriptor)
  }

  /// Text without what could steer the terminal, in lines that fit.
  package func wrapped(_ text: String) -> String {
    screen().told(PrintableText.cleanLines(SuggestedCommands.completed(text, run)))
  }

  // MARK: Reading

  /// The answer typed at a prompt.
  package enum Typed {
    case line
    case endOfInput
    case cancelled
  }

  /// Reads a line with echo off, straight into guarded memory.
  ///
  /// - Parameters:
  ///   - prompt: shown first.
  ///   - secret: receives the bytes without the newline; made with the largest
  ///     size that is accepted. Bytes beyond it are dropped and counted as
  ///     too long by the caller's own check, for one more is kept.
  /// - Returns: how the line ended.
  package func readSecret(prompt: String, into secret: inout SecretBytes) -> Typed {
    let saved = Self.hideEcho(descriptor)
    defer {
      if saved { Self.restoreAll() }
      show("\n")
    }
    show(prompt)
    return readLine(into: &secret)
  }

  /// Reads a line with echo; for answers that are no secret.
  func readAnswer(prompt: String, limit: Int = 256) -> String? {
    show(prompt)
    var line = SecretBytes(zeroed: limit)
    guard case .line = readLine(into: &line) else { return nil }
    return line.withBytes { bytes in
      unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
  }

  private func readLine(into line: inout SecretBytes) -> Typed {
    let limit = line.count
    var filled = 0
    var byte: UInt8 = 0
    while true {
      // Wake up now and then: a signal is fetched by another thread and does
      // not interrupt this read.
      var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let count = unsafe poll(&ready, 1, 100)
      if Interruption.received { return .cancelled }
      if count <= 0 { continue }
      guard unsafe read(descriptor, &byte, 1) == 1 else {
        line.resize(to: 0)
        return .endOfInput
      }
      if byte == 10 || byte == 13 { break }
      if filled < limit {
        line.withMutableBytes { $0.storeBytes(of: byte, toByteOffset: filled, as: UInt8.self) }
        filled += 1
      }
    }
    byte = 0
    line.resize(to: filled)
    return .line
  }

  // MARK: Echo

  private struct Saved {
    var descriptor: Int32
    var settings: termios
  }

  private static let saved = Mutex<Saved?>(nil)

  /// Remembers the settings for ``restoreAll()``, before another program draws
  /// on the terminal.
  package func keepSettings() {
    var settings = termios()
    guard unsafe tcgetattr(descriptor, &settings) == 0 else { return }
    Self.saved.withLock { $0 = Saved(descriptor: descriptor, settings: settings) }
  }

  private static func hideEcho(_ descriptor: Int32) -> Bool {
    var settings = termios()
    guard unsafe tcgetattr(descriptor, &settings) == 0 else { return false }
    saved.withLock { $0 = Saved(descriptor: descriptor, settings: settings) }
    settings.c_lflag &= ~tcflag_t(ECHO | ECHONL)
    unsafe withUnsafeMutableBytes(of: &settings.c_cc) { keys in
      // No suspending: the shell would get the terminal without echo, or give it
      // back with.
      unsafe keys[Int(VSUSP)] = 0
      // No quoting of the next key: a quoted Enter would end the line early.
      unsafe keys[Int(VLNEXT)] = 0
    }
    return unsafe tcsetattr(descriptor, TCSAFLUSH, &settings) == 0
  }

  /// Puts the terminal back as it was before a hidden prompt.
  ///
  /// Safe to call at any time, also on the way out after a second signal.
  package static func restoreAll() {
    saved.withLock { saved in
      guard var state = saved else { return }
      unsafe tcsetattr(state.descriptor, TCSAFLUSH, &state.settings)
      saved = nil
    }
  }
}
