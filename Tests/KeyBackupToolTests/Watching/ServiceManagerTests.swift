import CommandSupport
import Glibc
import TestSupport
import Testing

@testable import CommandKit
@testable import FileCommands

/// What the service manager hears, on a real socket.
@Suite struct ServiceManagerTests {
  private func world(_ variables: [String: String]) throws -> World {
    var world = try OwnWorld(try Sandbox()).world
    world.environment.merge(variables) { $1 }
    return world
  }

  @Test func `It hears by a socket with a path`() throws {
    let box = try Sandbox()
    let socket = try DatagramSocket(box.root + "/notify")
    let manager = ServiceManager(
      try world(["NOTIFY_SOCKET": box.root + "/notify", "WATCHDOG_USEC": "2000000"]))
    manager.tellReady()
    manager.tell(status: "2 files\nREADY=0")
    manager.tellAlive()
    manager.tellStopping()
    #expect(socket.received() == "READY=1")
    // One line: a file's name cannot send something else.
    let status = socket.received()
    #expect(status.hasPrefix("STATUS=2 files") && !status.contains("\n"), "\(status)")
    #expect(socket.received() == "WATCHDOG=1")
    #expect(socket.received() == "STOPPING=1")
    #expect(manager.aliveEvery == .seconds(1))
  }

  @Test func `It hears by an abstract socket`() throws {
    let name = "keybackup-test-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    let socket = try DatagramSocket("@" + name)
    ServiceManager(try world(["NOTIFY_SOCKET": "@" + name])).tellReady()
    #expect(socket.received() == "READY=1")
  }

  @Test(arguments: [
    [:], ["NOTIFY_SOCKET": ""], ["NOTIFY_SOCKET": "relative"], ["NOTIFY_SOCKET": "/missing/x"],
    ["NOTIFY_SOCKET": "/" + String(repeating: "x", count: 200)], ["NOTIFY_SOCKET": "vsock:2:1"],
  ])
  func `Without a service manager nothing happens`(_ variables: [String: String]) throws {
    let manager = ServiceManager(try world(variables))
    manager.tellReady()
    manager.tellAlive()
    #expect(manager.aliveEvery == nil)
  }

  @Test func `A watchdog of another process is not ours`() throws {
    let variables = ["WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "1"]
    #expect(ServiceManager(try world(variables)).aliveEvery == nil)
    let own = ["WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "\(getpid())"]
    #expect(ServiceManager(try world(own)).aliveEvery == .milliseconds(500))
  }
}

/// A socket that receives datagrams, as the service manager has it.
final class DatagramSocket: Sendable {
  private let descriptor: Int32

  /// - Parameter name: a path, or a name in the abstract namespace after `@`.
  /// - Throws: when there is no such socket to be had.
  init(_ name: String) throws {
    let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    descriptor = socket(AF_UNIX, kind, 0)
    var bytes = Array(name.utf8)
    if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    let size = socklen_t(2 + bytes.count)
    let code = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe bind(descriptor, pointer, size)
      }
    }
    guard code == 0 else { throw SystemFailure("bind") }
    var limit = timeval(tv_sec: Backstop.seconds, tv_usec: 0)
    let length = socklen_t(MemoryLayout<timeval>.size)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, length)
  }

  deinit { close(descriptor) }

  /// The next datagram; empty if none comes.
  func received() -> String {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }
}
