import Foundation
import Glibc
import TestSupport

/// A TCP connection to loopback that sends what a test says, as slowly as it says.
final class RawConnection {
  private let socket: Int32

  init(port: Int) throws {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe connect(socket, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw Missing("a connection: errno \(errno)") }
  }

  deinit { close(socket) }

  /// Sends bytes.
  ///
  /// - Returns: whether the other end still takes them.
  @discardableResult func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Sends bytes.
  @discardableResult func send(_ bytes: [UInt8]) -> Bool {
    unsafe Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  /// Says that nothing more is sent.
  func endSending() { shutdown(socket, Int32(SHUT_WR)) }

  /// All that comes until the other end closes, or these seconds are over: a short time for a look.
  func rest(within seconds: Double = Double(Backstop.seconds)) -> (text: String, isClosed: Bool) {
    var text: [UInt8] = []
    let end = ContinuousClock.now + .seconds(seconds)
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while ContinuousClock.now < end {
      var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&waiting, 1, 50) > 0 else { continue }
      let count = unsafe recv(socket, &buffer, buffer.count, 0)
      guard count > 0 else { return (String(decoding: text, as: UTF8.self), true) }
      text += buffer[..<count]
    }
    return (String(decoding: text, as: UTF8.self), false)
  }

  /// What comes until this text is there, or the other end closes.
  func text(upTo last: String) throws -> String {
    var text = ""
    try blockUntil(last) {
      let (more, isClosed) = rest(within: 0.1)
      text += more
      return isClosed || text.contains(last) ? nil : text
    }
    return text
  }

  /// Waits until the server has read everything that was sent.
  func isRead() async throws {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = unsafe getsockname(socket, $0, &size)
      }
    }
    let digits = String(UInt16(bigEndian: address.sin_port), radix: 16, uppercase: true)
    let own = "0100007F:" + String(repeating: "0", count: 4 - digits.count) + digits
    try await waitUntil("the server has read all") {
      // Local and remote address, state, and the queues of what is to be sent and to be read.
      // cat reads to the end, of a file whose size is 0 and whose parts come one by one.
      let table = try FinishedProgram(["/bin/cat", "/proc/net/tcp"]).output
      let lines = table.split(separator: "\n").map { $0.split(separator: " ") }
      guard let line = lines.first(where: { $0.count > 4 && $0[2] == own }) else {
        return "no line"
      }
      return line[4].hasSuffix(":00000000") ? nil : "\(line)"
    }
  }
}
