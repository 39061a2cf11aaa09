internal import CLinux
internal import Glibc

/// The address of this login's D-Bus session bus (D-Bus Specification, "Server Addresses").
public struct SessionBus: Equatable, Sendable {
  /// The name of a socket: a path, or a name in the abstract namespace, which has no file.
  struct Socket: Equatable, Sendable {
    var name: String
    var isAbstract = false
  }

  let sockets: [Socket]

  /// Parses the address.
  ///
  /// - Parameters:
  ///   - address: `$DBUS_SESSION_BUS_ADDRESS`.
  ///   - runtimeFolder: `$XDG_RUNTIME_DIR`; its `bus` is the address when there is no other.
  public init(address: String?, runtimeFolder: String?) {
    if let address, !address.isEmpty {
      sockets = address.split(separator: ";").compactMap { Self.socket(String($0)) }
    } else if let runtimeFolder, runtimeFolder.hasPrefix("/") {
      sockets = [Socket(name: runtimeFolder + "/bus")]
    } else {
      sockets = []
    }
  }

  private static func socket(_ address: String) -> Socket? {
    guard address.hasPrefix("unix:") else { return nil }
    for pair in address.dropFirst(5).split(separator: ",") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, let value = unescaped(parts[1].utf8) else { continue }
      if parts[0] == "path" { return Socket(name: value) }
      if parts[0] == "abstract" { return Socket(name: value, isAbstract: true) }
    }
    return nil
  }

  /// Decodes `%` and two hexadecimal digits as a byte.
  private static func unescaped(_ text: Substring.UTF8View) -> String? {
    var bytes: [UInt8] = []
    var rest = text[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let digits = String(rest.prefix(2)), rest.count >= 2,
        let value = UInt8(digits, radix: 16)
      else { return nil }
      rest = rest.dropFirst(2)
      bytes.append(value)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Connects to the first socket that listens and belongs to the same user or root.
  ///
  /// - Returns: a descriptor that never blocks.
  /// - Throws: ``SecretStoreError/noSessionBus``, ``SecretStoreError/busRefused`` if it belongs to
  ///   another user.
  func connect() throws(SecretStoreError) -> Int32 {
    var isOthers = false
    for socket in sockets {
      let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
      let descriptor = Glibc.socket(AF_UNIX, kind | Int32(SOCK_NONBLOCK.rawValue), 0)
      guard descriptor >= 0 else { continue }
      if Self.connect(descriptor, socket) {
        let user = keybackup_peer_user(descriptor)
        if user == 0 || user == Int(geteuid()) { return descriptor }
        isOthers = true
      }
      close(descriptor)
    }
    throw isOthers ? .busRefused : .noSessionBus
  }

  private static func connect(_ descriptor: Int32, _ socket: Socket) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = (socket.isAbstract ? [0] : []) + Array(socket.name.utf8)
    let fits = unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
      guard bytes.count < place.count else { return false }
      unsafe place.copyBytes(from: bytes)
      return true
    }
    guard fits else { return false }
    let size = MemoryLayout<sa_family_t>.size + bytes.count + (socket.isAbstract ? 0 : 1)
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe Glibc.connect(descriptor, pointer, socklen_t(size)) == 0
      }
    }
  }
}
