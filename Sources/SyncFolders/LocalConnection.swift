internal import CLinux
internal import CommandKit
internal import Glibc

/// The address at which a program on this computer listens.
enum LocalAddress: Equatable, Sendable {
  /// A TCP port of the loopback interface.
  case tcp(port: UInt16, isIPv6: Bool)
  /// A socket in the file system.
  case unix(String)

  /// Parses "127.0.0.1:8384", "[::1]:1", "localhost:1", ":1", "0.0.0.0:1" (which is also the
  /// loopback interface), "unix:///path", "/path".
  ///
  /// Returns nil for other computers: only this computer is ever queried.
  init?(_ text: String) {
    if text.hasPrefix("/") || text.hasPrefix("unix:/") {
      self = .unix(
        text.hasPrefix("unix://")
          ? String(text.dropFirst(7)) : text.hasPrefix("unix:") ? String(text.dropFirst(5)) : text)
      return
    }
    guard let colon = text.lastIndex(of: ":"),
      let port = UInt16(text[text.index(after: colon)...]), port > 0
    else { return nil }
    switch text[..<colon] {
    case "", "127.0.0.1", "0.0.0.0", "localhost": self = .tcp(port: port, isIPv6: false)
    case "[::1]", "[::]": self = .tcp(port: port, isIPv6: true)
    default: return nil
    }
  }

  /// Whether the program that listens there belongs to this user or root.
  ///
  /// Another user's program must not receive a key meant for this user's. By proc(5), fields 2, 4
  /// and 8 of /proc/net/tcp are the local address, the state (0A: listening) and the user.
  var isListenedToByUs: Bool {
    guard case .tcp(let port, _) = self else { return true }
    var found = false
    for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
      guard let text = ForeignFile.text(table, limit: 32 << 20) else { continue }
      for line in text.split(separator: "\n").dropFirst() {
        let fields = line.split(separator: " ")
        guard fields.count > 7, fields[3] == "0A",
          let digits = fields[1].split(separator: ":").last, UInt16(digits, radix: 16) == port
        else { continue }
        guard let user = UInt32(fields[7]), user == geteuid() || user == 0 else { return false }
        found = true
      }
    }
    return found
  }
}

/// A connection to a program on this computer, with a time limit.
struct LocalConnection: ~Copyable {
  private let socket: Int32
  private let deadline: Int64
  private var unread: [UInt8] = []

  /// Connects; nil when nothing listens.
  ///
  /// - Parameters:
  ///   - address: the address.
  ///   - seconds: the time limit for the whole connection.
  init?(to address: LocalAddress, seconds: Double) {
    let family =
      switch address {
      case .unix: AF_UNIX
      case .tcp(_, let isIPv6): isIPv6 ? AF_INET6 : AF_INET
      }
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let opened = Glibc.socket(family, kind | Int32(SOCK_NONBLOCK.rawValue), 0)
    guard opened >= 0 else { return nil }
    guard Self.connect(opened, address) else {
      close(opened)
      return nil
    }
    socket = opened
    deadline = Self.now() + Int64(seconds * 1000)
  }

  deinit { close(socket) }

  private static func connect(_ socket: Int32, _ address: LocalAddress) -> Bool {
    var storage = sockaddr_storage()
    let size: Int
    switch address {
    case .unix(let path):
      var name = sockaddr_un()
      name.sun_family = sa_family_t(AF_UNIX)
      let fits = unsafe withUnsafeMutableBytes(of: &name.sun_path) { place in
        guard path.utf8.count < place.count else { return false }
        unsafe place.copyBytes(from: path.utf8)
        return true
      }
      guard fits else { return false }
      size = MemoryLayout<sockaddr_un>.size
      unsafe withUnsafeMutableBytes(of: &storage) { place in
        unsafe place.storeBytes(of: name, as: sockaddr_un.self)
      }
    case .tcp(let port, false):
      var name = sockaddr_in()
      name.sin_family = sa_family_t(AF_INET)
      name.sin_port = port.bigEndian
      name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      size = MemoryLayout<sockaddr_in>.size
      unsafe withUnsafeMutableBytes(of: &storage) { place in
        unsafe place.storeBytes(of: name, as: sockaddr_in.self)
      }
    case .tcp(let port, true):
      var name = sockaddr_in6()
      name.sin6_family = sa_family_t(AF_INET6)
      name.sin6_port = port.bigEndian
      unsafe withUnsafeMutableBytes(of: &name.sin6_addr) { unsafe $0[15] = 1 }
      size = MemoryLayout<sockaddr_in6>.size
      unsafe withUnsafeMutableBytes(of: &storage) { place in
        unsafe place.storeBytes(of: name, as: sockaddr_in6.self)
      }
    }
    let code = unsafe withUnsafePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe Glibc.connect(socket, pointer, socklen_t(size))
      }
    }
    // A later refusal shows when something is sent.
    return code == 0 || errno == EINPROGRESS
  }

  /// Sends text; returns whether all of it was sent.
  mutating func send(_ text: String) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      guard wait(for: POLLOUT) else { return false }
      let count = unsafe rest.withUnsafeBytes { bytes in
        unsafe Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EAGAIN, errno != EINTR {
        return false
      }
    }
    return true
  }

  /// The next line without its end; nil at the end, after the time, or when it is longer than any
  /// answer.
  mutating func line() -> String? {
    while true {
      if let end = unread.firstIndex(of: 10) {
        defer { unread.removeFirst(end + 1) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      guard unread.count < 64 * 1024, receive() == true else { return nil }
    }
  }

  /// Everything until the other side closes; nil when it takes too long or is too much.
  mutating func rest(limit: Int) -> [UInt8]? {
    while unread.count <= limit {
      switch receive() {
      case true?: continue
      case false?: return unread
      case nil: return nil
      }
    }
    return nil
  }

  /// Reads the available bytes; false at the end, nil after a failure or the time.
  private mutating func receive() -> Bool? {
    var piece = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      guard wait(for: POLLIN) else { return nil }
      let count = unsafe piece.withUnsafeMutableBytes { bytes in
        unsafe recv(socket, bytes.baseAddress, bytes.count, 0)
      }
      if count > 0 {
        unread += piece[..<count]
        return true
      }
      if count == 0 { return false }
      if errno != EAGAIN, errno != EINTR { return nil }
    }
  }

  private func wait(for events: Int32) -> Bool {
    while true {
      let left = deadline - Self.now()
      guard left > 0, !Interruption.received else { return false }
      var ready = pollfd(fd: socket, events: Int16(events), revents: 0)
      if unsafe poll(&ready, 1, Int32(min(left, 100))) > 0 { return true }
    }
  }

  private static func now() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
