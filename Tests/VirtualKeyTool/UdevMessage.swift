import Glibc

/// What udev tells programs about a hidraw node, sent to all that listen in umockdev's folder.
///
/// umockdev sends these, too. But it ends this process when a listener goes while it sends.
struct UdevMessage {
  /// The header of libudev, format of version 2: 40 bytes, its two hashes and the magic big-endian.
  ///
  /// libudev filters by the MurmurHash2 of the subsystem "hidraw".
  private static let magic: UInt32 = 0xFEED_CAFE
  private static let hashOfHidraw: UInt32 = 0xC2CA_F397

  private let bytes: [UInt8]

  /// - Parameters:
  ///   - action: "add" or "remove".
  ///   - path: the node's folder under /sys.
  ///   - node: the node under /dev.
  init(_ action: String, path: String, node: String) {
    let properties = [
      "ACTION=\(action)", "DEVPATH=\(path.dropFirst("/sys".count))", "SUBSYSTEM=hidraw",
      "SEQNUM=1000", "DEVNAME=\(node)", "",
    ].joined(separator: "\0").utf8
    let header: [UInt32] = [
      Self.magic.bigEndian, 40, 40, UInt32(properties.count), Self.hashOfHidraw.bigEndian, 0, 0, 0,
    ]
    var bytes = Array("libudev\0".utf8)
    for word in header {
      for shift: UInt32 in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
    }
    self.bytes = bytes + properties
  }

  /// Sends the message to each socket `event*` in the folder; one that goes meanwhile is left out.
  func send(in folder: String) {
    let sender = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
    guard sender >= 0, let entries = unsafe opendir(folder) else { return }
    defer {
      close(sender)
      unsafe closedir(entries)
    }
    while let entry = unsafe readdir(entries) {
      let name = unsafe withUnsafePointer(to: entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name.hasPrefix("event") { send(to: folder + "/" + name, from: sender) }
    }
  }

  private func send(to socket: String, from sender: Int32) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let fits = unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
      guard socket.utf8.count < place.count else { return false }
      unsafe place.copyBytes(from: socket.utf8)
      return true
    }
    guard fits else { return }
    _ = unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe sendto(
          sender, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
