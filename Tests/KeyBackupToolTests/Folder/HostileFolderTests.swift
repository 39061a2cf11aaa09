import Glibc
import Testing

/// Folders that an attacker crafted.
///
/// Every command ends in a short time, gives back what is good, and reports what is not.
@Suite struct HostileFolderTests {
  /// Things in a folder that are no files of a backup.
  enum Trap: String, CaseIterable, Sendable {
    case linkToFile
    case linkToFolder
    case linkToItself
    case linkToDevice
    case linkOut
    case fifo
    case device
    case socket
    case deepTree
    case sparse
    case newline
    case notUTF8
    case longName

    /// Puts it at a path.
    func set(_ path: String, outside: String) async throws {
      switch self {
      case .linkToFile: try Files.link(path, to: outside + "/pin")
      case .linkToFolder: try Files.link(path, to: outside)
      case .linkToItself: try Files.link(path, to: path)
      case .linkToDevice: try Files.link(path, to: "/dev/zero")
      case .linkOut: try Files.link(path, to: "../../../../../../../../../../etc/passwd")
      case .fifo: guard unsafe mkfifo(path, 0o600) == 0 else { throw SystemFailure(path) }
      case .device: try await Self.makeDevice(path)
      case .socket: try Self.bind(path)
      case .deepTree:
        try Files.makeFolder(path + String(repeating: "/d", count: 400))
      case .sparse:
        try Files.write("{", to: path)
        try Files.extend(path, to: 10 << 30)
      case .newline: try Files.write("{", to: path + "\n\u{1B}[2J\u{202E}.json")
      case .notUTF8: try Self.write(path, [0xFF, 0xFE, 0xC3, 0x28, 0x1B])
      case .longName:
        let name = path.split(separator: "/").last ?? ""
        try Files.write(
          "{", to: path + String(repeating: "x", count: 255 - name.utf8.count))
      }
    }

    /// Only root makes devices.
    private static func makeDevice(_ path: String) async throws {
      let words = ["mknod", path, "c", "1", "5"]
      let child = ChildProcess(
        command: isRoot ? words : ["sudo", "-n"] + words,
        environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
      let outcome = try await child.run()
      try #require(outcome.code == 0, "\(outcome.text)")
    }

    private static func bind(_ path: String) throws {
      // The address has room for 107 bytes, so it is bound by a shorter path.
      let folder = path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
      let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      defer { close(descriptor) }
      let name = String(path.split(separator: "/").last ?? "")
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let place = Array("/proc/self/fd/\(descriptor)/\(name)".utf8)
      guard place.count < 107 else {
        // A socket under a shorter name is just as good.
        return try bind(folder + "/wallet-socket.json")
      }
      unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: place) }
      let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(socket) }
      let size = socklen_t(MemoryLayout<sockaddr_un>.size)
      let code = unsafe withUnsafePointer(to: &address) {
        unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe Glibc.bind(socket, $0, size)
        }
      }
      guard code == 0 else { throw SystemFailure(path) }
    }

    /// A file whose name ends in bytes that are no text.
    private static func write(_ path: String, _ end: [UInt8]) throws {
      let name = (Array(path.utf8) + end + [0]).map { CChar(bitPattern: $0) }
      let file = unsafe open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      guard file >= 0 else { throw SystemFailure(path) }
      close(file)
    }
  }

  static let commands: [[String]] = [
    ["status"], ["verify"], ["verify", "--deep"], ["restore", "--json"], ["wallet", "list"],
    ["key", "list"], ["restore", "--json", "--wait-sync", "1"],
  ]

  @Test(arguments: Trap.allCases)
  func `A trap in every folder stops nothing`(_ trap: Trap) async throws {
    let backup = try await PreparedBackup()
    let zeros = String(repeating: "0", count: 64)
    let writer = NotHereYetTests.split(backup.operations[0]).0
    for path in [
      backup.place + "/wallets/wallet-\(zeros).json", backup.place + "/wallet-\(zeros).json",
      backup.place + "/master-key/masterkey-\(zeros).json",
      backup.place + "/masterkey-\(zeros).json",
      backup.place + "/keybackup/keys/\(zeros.prefix(32)).json",
      backup.place + "/keybackup/log/\(zeros.prefix(32))",
      writer + "/00000009-\(zeros.prefix(32)).json",
      backup.box.folder + "/cspp-namespaces/not-a-namespace",
    ] {
      try await trap.set(path, outside: backup.box.root)
    }
    for command in Self.commands {
      let needsPIN = !["status", "key"].contains(command[0]) && command != ["verify"]
      let outcome = try await backup.box.keybackup(
        command, pin: needsPIN ? .file : .none, expecting: nil)
      #expect([0, 65, 75, 87, 88].contains(outcome.code), "\(command): \(outcome.code) \(outcome)")
      if command == ["restore", "--json"] {
        #expect(try outcome.json()["restored"].number == 3, "\(outcome.text)")
      }
      #expect(!outcome.text.contains("root:"), "\(command) followed a link")
      expectSafe(outcome, command)
    }
  }

  /// Texts that JSON allows and nobody should write.
  enum Text: String, CaseIterable, Sendable {
    case nested
    case nestedObjects
    case duplicate
    case hugeNumber
    case hugeExponent
    case hugeString
    case loneSurrogate
    case zeroByte
    case escapedZero
    case notUTF8
    case manyFields
    case byteOrderMark

    /// Up to `size` bytes.
    func bytes(_ size: Int) -> [UInt8] {
      let half = size / 2 - 16
      switch self {
      case .nested: return .init(repeating: 0x5B, count: half) + .init(repeating: 0x5D, count: half)
      case .nestedObjects: return Array(String(repeating: #"{"a":"#, count: size / 6).utf8)
      case .duplicate: return Array(#"{"version":1,"version":1,"format":"x","format":"y"}"#.utf8)
      case .hugeNumber:
        return Array((#"{"version":1"# + String(repeating: "0", count: half) + "}").utf8)
      case .hugeExponent: return Array(#"{"version":1e999,"created_at":-1e-999}"#.utf8)
      case .hugeString:
        return Array((#"{"format":""# + String(repeating: "x", count: half) + #""}"#).utf8)
      case .loneSurrogate: return Array(#"{"format":"\ud800","nonce":"\udfff\ud800"}"#.utf8)
      case .zeroByte: return Array("{\"format\":\"a\u{0}b\"}".utf8)
      case .escapedZero: return Array(#"{"format":"\u0000","version":1}"#.utf8)
      case .notUTF8: return Array(#"{"format":""#.utf8) + [0xFF, 0xC0, 0x80] + Array(#""}"#.utf8)
      case .manyFields:
        let fields = (0..<size / 16).map { #""f\#($0)":0"# }
        return Array(("{" + fields.joined(separator: ",") + "}").utf8)
      case .byteOrderMark: return [0xEF, 0xBB, 0xBF] + Array(#"{"version":1}"#.utf8)
      }
    }
  }

  @Test(arguments: Text.allCases)
  func `Hostile JSON in every file is refused`(_ text: Text) async throws {
    let backup = try await PreparedBackup()
    let zeros = String(repeating: "0", count: 64)
    let writer = NotHereYetTests.split(backup.operations[0]).0
    let wallet = backup.place + "/wallets/wallet-\(zeros).json"
    try Files.write(text.bytes(16 << 20), to: wallet)
    try Files.write(
      text.bytes(64 << 10), to: backup.place + "/keybackup/keys/\(zeros.prefix(32)).json")
    try Files.write(text.bytes(64 << 10), to: backup.place + "/masterkey-\(zeros).json")
    try Files.write(text.bytes(48 << 20), to: writer + "/00000009-\(zeros.prefix(32)).json")
    // Also as the header that our own files carry.
    for (path, place) in [
      (backup.wrapper, backup.place + "/keybackup/keys/\(zeros.prefix(31))1.json"),
      (backup.operations[0], writer + "/00000010-\(zeros.prefix(32)).json"),
    ] {
      let file = try Files.text(path)
      let header = try #require(try JSON(Array(file.utf8))["protected"].text)
      let encoded = base64URL(text.bytes(24 << 10))
      try Files.write(file.replacing(header, with: encoded), to: place)
    }
    for command in Self.commands.dropLast() {
      let needsPIN = !["status", "key"].contains(command[0]) && command != ["verify"]
      let outcome = try await backup.box.keybackup(
        command, pin: needsPIN ? .file : .none, expecting: nil)
      let expected: [Int32] = command[0] == "key" ? [0, 75] : [65, 75, 87]
      #expect(expected.contains(outcome.code), "\(command): \(outcome.code) \(outcome)")
      if command == ["restore", "--json"] {
        #expect(try outcome.json()["restored"].number == 3, "\(outcome.text)")
      }
      expectSafe(outcome, command)
    }
  }
}

/// base64url without padding.
private func base64URL(_ bytes: [UInt8]) -> String {
  let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  var text: [UInt8] = []
  var (bits, count) = (0, 0)
  for byte in bytes {
    bits = (bits << 8 | Int(byte)) & 0xFFFF
    count += 8
    while count >= 6 {
      count -= 6
      text.append(letters[bits >> count & 63])
    }
  }
  if count > 0 { text.append(letters[bits << (6 - count) & 63]) }
  return String(decoding: text, as: UTF8.self)
}
