import Dispatch
import Glibc
import SecretMemory

@testable import SecretStores

/// A message bus for one client: it greets as it should, then answers calls as a test says.
final class FakeBus: Sendable {
  private let listener: Int32
  private let name = "keybackup-test-\(UInt64.random(in: 0 ... .max))"

  var address: SessionBus { SessionBus(address: "unix:abstract=\(name)", runtimeFolder: nil) }

  /// Listens.
  ///
  /// - Parameter answer: is given the client and a call's number; the connection ends when it
  ///   returns false.
  init(_ answer: @escaping @Sendable (Client, UInt32) -> Bool) {
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
      unsafe place.copyBytes(from: [0] + Array(name.utf8))
    }
    let size = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
    let isBound = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(listener, $0, size) == 0
      }
    }
    precondition(isBound && listen(listener, 1) == 0, "no socket")
    DispatchQueue(label: name).async { [listener] in
      let client = Client(socket: accept(listener, nil, nil))
      client.serve(answer)
      close(client.socket)
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  /// The connection to the client, as the bus sees it.
  struct Client: Sendable {
    let socket: Int32

    /// Sends bytes; false once the client is gone.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool { unsafe send(bytes.span.bytes) }

    @discardableResult
    func send(_ bytes: RawSpan) -> Bool {
      var sent = 0
      while sent < bytes.byteCount {
        let count = unsafe bytes.extracting(sent..<bytes.byteCount).withUnsafeBytes { rest in
          unsafe Glibc.send(socket, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }

    fileprivate func serve(_ answer: (Client, UInt32) -> Bool) {
      // A call may hold a secret, so it is read into guarded memory.
      var call = SecretBytes(zeroed: 1 << 16)
      var greeting = ""
      while !greeting.hasSuffix("BEGIN\r\n") {
        guard receive(&call, 0..<1) else { return }
        greeting.unicodeScalars.append(Unicode.Scalar(byte(call, 0)))
      }
      send(Array("DATA\r\nOK 00000000000000000000000000000000\r\n".utf8))
      while receive(&call, 0..<16) {
        let body = number(call, 4)
        let fields = (number(call, 12) + 7) / 8 * 8
        guard receive(&call, 16..<16 + Int(fields + body)) else { return }
        let serial = number(call, 8)
        if serial == 1 {
          var name = FakeMessage(answering: 1, "s")
          name.body.put(":1.7")
          send(name.bytes)
        } else if !answer(self, serial) {
          return
        }
      }
    }

    private func receive(_ bytes: inout SecretBytes, _ range: Range<Int>) -> Bool {
      unsafe bytes.withUnsafeMutableBytes { place in
        var filled = range.lowerBound
        while filled < range.upperBound {
          let count = unsafe recv(
            socket, place.baseAddress.map { unsafe $0 + filled }, range.upperBound - filled, 0)
          guard count > 0 else { return false }
          filled += count
        }
        return true
      }
    }

    private func byte(_ bytes: borrowing SecretBytes, _ place: Int) -> UInt8 {
      unsafe bytes.withUnsafeBytes { unsafe $0[place] }
    }

    private func number(_ bytes: borrowing SecretBytes, _ place: Int) -> UInt32 {
      unsafe bytes.withUnsafeBytes {
        unsafe $0.loadUnaligned(fromByteOffset: place, as: UInt32.self)
      }
    }
  }
}

/// Values in D-Bus's marshalled form, little-endian.
struct FakeBody {
  var bytes: [UInt8] = []

  mutating func align(_ size: Int) { while bytes.count % size != 0 { bytes.append(0) } }

  mutating func put(_ value: UInt32) {
    align(4)
    for shift in stride(from: UInt32(0), to: 32, by: 8) {
      bytes.append(UInt8(value >> shift & 255))
    }
  }

  mutating func put(_ text: String) {
    put(UInt32(text.utf8.count))
    bytes += Array(text.utf8) + [0]
  }

  mutating func put(signature: String) {
    bytes.append(UInt8(signature.utf8.count))
    bytes += Array(signature.utf8) + [0]
  }

  /// Appends an array of strings or object paths.
  mutating func put(_ texts: [String]) {
    var elements = FakeBody()
    for text in texts { elements.put(text) }
    put(UInt32(elements.bytes.count))
    bytes += elements.bytes
  }
}

/// A message of a bus, right or wrong.
struct FakeMessage {
  var order = UInt8(ascii: "l")
  /// 2 is an answer, 3 an error, 4 a signal.
  var kind: UInt8 = 2
  var version: UInt8 = 1
  var answering: UInt32
  var signature: String
  /// The values of further fields of the header, by their codes.
  var texts: [(code: UInt8, type: String, value: String)] = []
  var body = FakeBody()
  /// What the header says about the body's length; nil: the truth.
  var claimedSize: UInt32?

  init(answering: UInt32, _ signature: String) {
    self.answering = answering
    self.signature = signature
  }

  /// An answer with two lists of object paths, as SearchItems gives it.
  static func paths(_ paths: [String], answering: UInt32) -> FakeMessage {
    var message = FakeMessage(answering: answering, "aoao")
    message.body.put(paths)
    message.body.put([String]())
    return message
  }

  var bytes: [UInt8] { header + body.bytes }

  var header: [UInt8] {
    var fields = FakeBody()
    for (code, type, value) in texts {
      fields.align(8)
      fields.bytes.append(code)
      fields.put(signature: type)
      fields.put(value)
    }
    if kind == 2 || kind == 3 {
      fields.align(8)
      fields.bytes.append(5)
      fields.put(signature: "u")
      fields.put(answering)
    }
    fields.align(8)
    fields.bytes.append(8)
    fields.put(signature: "g")
    fields.put(signature: signature)
    var header = FakeBody()
    header.bytes = [order, kind, 1, version]
    header.put(claimedSize ?? UInt32(body.bytes.count))
    header.put(99 as UInt32)
    header.put(UInt32(fields.bytes.count))
    header.bytes += fields.bytes
    header.align(8)
    return header.bytes
  }
}
