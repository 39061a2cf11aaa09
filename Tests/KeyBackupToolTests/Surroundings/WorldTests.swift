import Glibc
import Synchronization
import Testing
import VirtualKey

@testable import CommandKit
@testable import PRFDevice

/// Commands in a world of the test's own: nothing reaches them past it.
@Suite struct WorldTests {
  /// 19 January 2027.
  private static let date: Int64 = 1_800_316_800

  @Test func `A backup is made, filled and restored within this process`() async throws {
    let own = try OwnWorld(Sandbox(), date: Self.date)
    let made = try await own.run(["init", "--json"]).json()
    #expect(made["folder"].text == own.box.folder)
    try await own.run(
      ["wallet", "import", "-"], input: Samples.entry(id: "first", name: "The first"))
    let target = own.box.root + "/restored"
    let restored = try await own.run(["restore", "--json", "--out", target])
    #expect(try restored.json()["restored"].number == 1)
    #expect(Files.tree(target).count == 1)
    // The computer's own name stays outside.
    let writers = try await own.run(["writers", "list"])
    #expect(writers.out.contains("own-world"), "\(writers.text)")
    #expect(own.key.trace.lines.contains { $0.hasSuffix("makeCredential") })
    #expect(!Files.tree(own.box.home).isEmpty, "this computer's memory is in its home")
  }

  @Test func `A way in is tested again once enough days have passed`() async throws {
    let own = try OwnWorld(Sandbox(), date: Self.date)
    try await own.run(["init"])
    func advice() async throws -> [String] {
      let status = try await own.run(["status", "--json"], pin: false, expecting: nil)
      return try status.json()["advice"].items.compactMap(\.text)
        .filter { $0.contains("was last tested") }
    }
    let day = Duration.seconds(86_400)
    own.clock.advance(day * 364)
    #expect(try await advice().isEmpty)
    own.clock.advance(day * 36)
    let late = try await advice()
    #expect(late.count == 1 && late[0].contains("400 days"), "\(late)")
    try await own.run(["verify", "--deep"], expecting: nil)
    #expect(try await advice().isEmpty)
  }

  @Test(arguments: [(30, 0), (10, 69)] as [(Int, Int32)])
  func `A key is waited for as long as it is said`(_ seconds: Int, _ code: Int32) async throws {
    var own = try OwnWorld(Sandbox())
    let (present, clock) = (own.world.devices, own.clock)
    let late = Duration.seconds(12)
    own.world.devices.connected = { () async throws(PRFDeviceError) in
      clock.passed < late ? [] : try await present.connected()
    }
    own.world.devices.wait = { (time, isWanted) async throws(PRFDeviceError) in
      clock.advance(min(time, late))
      guard time >= late else { throw .noAuthenticator }
      return try await present.wait(time, isWanted)
    }
    let listed = try await own.run(
      ["credential", "list", "--wait", "\(seconds)"], expecting: code)
    #expect(listed.err.contains("Insert your security key"), "\(listed.text)")
    #expect(clock.passed == .seconds(min(seconds, 12)))
  }

  @Test(arguments: [(60, 0), (2, 75)] as [(Int, Int32)])
  func `A key that another program uses is tried again until the time is over`(
    _ seconds: Int, _ code: Int32
  ) async throws {
    var own = try OwnWorld(Sandbox())
    let (present, clock) = (own.world.devices, own.clock)
    own.world.devices.open = { (descriptor, options) async throws(PRFDeviceError) in
      if clock.passed < .seconds(6) { throw .busy }
      return try await present.open(descriptor, options)
    }
    let listed = try await own.run(
      ["credential", "list", "--wait", "\(seconds)"], expecting: code)
    #expect(listed.err.split(separator: "\n").count { $0.hasPrefix("Waiting: ") } == 1)
    #expect(clock.passed == .seconds(min(seconds, 6)), "\(listed.text)")
  }

  @Test func `A person who waits is reminded, each time later`() async throws {
    var own = try OwnWorld(Sandbox())
    let pauses = Mutex<[Duration]>([])
    own.world.time.sleep = { pause in pauses.withLock { $0.append(pause) } }
    let told = try Pipe()
    own.world.streams.error = told.writing
    let prompter = Prompter(
      output: Output(json: false, quiet: false, own.world), noInput: true,
      events: Events(descriptor: nil, Run()),
      own.world)
    let insert = Event.Insert(seconds: 30)
    let end = ContinuousClock.now + .seconds(60)
    let text = await prompter.insert(insert) {
      var text = ""
      while !text.contains("(6 s left)"), ContinuousClock.now < end {
        await Task.yield()
        text += told.read()
      }
      return text
    }
    #expect(text.contains("Still waiting for a security key (22 s left)."), "\(text)")
    #expect(pauses.withLock { $0 } == [.seconds(8), .seconds(16)])
  }

  @Test func `A person is asked at the terminal of the world`() async throws {
    var own = try OwnWorld(Sandbox())
    let person = try Pipe()
    own.world.streams.terminal = { person.writing }
    person.type(Sandbox.pin + "\n")
    try await own.run(["credential", "list"], pin: false)
    let shown = person.read()
    #expect(shown.contains("PIN for Virtual Key"), "\(shown)")
    #expect(!shown.contains(Sandbox.pin))
  }

  @Test func `Lines are as wide as the variables of the world say`() async throws {
    var own = try OwnWorld(Sandbox())
    own.world.environment["COLUMNS"] = "40"
    let narrow = try await own.run(["wallet", "list"], expecting: 66)
    own.world.environment["COLUMNS"] = nil
    let wide = try await own.run(["wallet", "list"], expecting: 66)
    func lines(_ outcome: Outcome) -> Int { outcome.err.split(separator: "\n").count }
    #expect(lines(narrow) > lines(wide), "\(narrow.text)")
    #expect(wide.err.split(separator: "\n").contains { $0.count > 40 }, "\(wide.text)")
  }

  @Test func `A world without a home remembers nothing`() async throws {
    var own = try OwnWorld(Sandbox())
    own.world.environment["HOME"] = nil
    let failed = try await own.run(["status"], pin: false, expecting: 78)
    #expect(failed.err.contains("HOME is not set"), "\(failed.text)")
  }

  /// Both ends of a line between the test and a command.
  private final class Pipe: Sendable {
    /// The command's end.
    let writing: Int32
    private let own: Int32

    init() throws {
      var ends: [Int32] = [-1, -1]
      let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
      guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else {
        throw SystemFailure("socketpair")
      }
      (own, writing) = (ends[0], ends[1])
    }

    deinit {
      close(own)
      close(writing)
    }

    func type(_ text: String) { _ = unsafe send(own, text, text.utf8.count, 0) }

    /// The text that came so far.
    func read() -> String {
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = unsafe recv(own, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
  }
}
