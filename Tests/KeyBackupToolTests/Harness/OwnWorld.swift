import DeviceSuite
import Glibc
import Testing
import VirtualKey

@testable import CommandKit
@testable import PRFDevice
@testable import all_commands

/// Commands that run in the process of the test, in a world of its own: the home and the folder of
/// a sandbox, a clock that is set, a simulated key, and streams that are kept.
struct OwnWorld: Sendable {
  let box: Sandbox
  let clock: SetClock
  let key: InProcessKey
  var world: World

  /// - Parameters:
  ///   - box: the sandbox.
  ///   - home: the home, if not the sandbox's.
  ///   - date: of the clock, in seconds since 1970; nil for the computer's.
  ///   - withKey: whether the key is plugged in.
  /// - Throws: when the system fails.
  init(_ box: Sandbox, home: String? = nil, date: Int64? = nil, withKey: Bool = true) throws {
    self.box = box
    let clock = SetClock(date: date ?? Int64(time(nil)))
    self.clock = clock
    let store = try KeyStore(path: box.keyState)
    if store.isNew { try store.setPIN(Sandbox.pin) }
    key = try InProcessKey(store: store)
    world = World(
      environment: ["HOME": home ?? box.home, "KEYBACKUP_FOLDER": box.folder],
      now: { clock.date }, time: clock.time, hostName: "own-world",
      streams: Streams(input: -1, output: -1, error: -1, terminal: { nil }),
      devices: .simulated(withKey ? [SimulatedKey(key)] : []))
  }

  /// Runs a command to its end.
  @discardableResult
  func run(
    _ arguments: [String], pin: Bool = true, input: String = "", expecting: Int32? = 0,
    at location: SourceLocation = #_sourceLocation
  ) async throws -> Outcome {
    let arguments = arguments + (pin ? ["--pin-file", box.pinFile] : [])
    let command = try #require(
      AllCommands.parseLeaf(arguments), "\(arguments)", sourceLocation: location)
    var world = world
    let (given, result, notes) = (try Stream(box, input), try Stream(box), try Stream(box))
    world.streams.input = given.descriptor
    world.streams.output = result.descriptor
    world.streams.error = notes.descriptor
    world.run = Run(arguments)
    let output = Output(json: arguments.contains("--json"), quiet: false, world)
    var outcome = Outcome()
    outcome.code = await Program.run(
      command, world, output, Events(descriptor: nil, world.run)
    ).rawValue
    withExtendedLifetime(given) {}
    outcome.output = try result.bytes()
    outcome.errors = try notes.bytes()
    if let expecting {
      #expect(
        outcome.code == expecting, "\(arguments.joined(separator: " ")): \(outcome.text)",
        sourceLocation: location)
    }
    for secret in Samples.secrets {
      #expect(!outcome.text.contains(secret), "a secret was shown", sourceLocation: location)
    }
    return outcome
  }

  /// A file without a name, in place of a stream.
  private final class Stream: Sendable {
    let descriptor: Int32

    init(_ box: Sandbox, _ text: String = "") throws {
      let path = "\(box.root)/tmp/stream-\(UInt64.random(in: 0...UInt64.max))"
      // Programs that other tests start at the same moment do not inherit it.
      descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw SystemFailure(path) }
      unsafe unlink(path)
      let bytes = Array(text.utf8)
      guard unsafe pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else {
        throw SystemFailure("pwrite")
      }
    }

    deinit { close(descriptor) }

    func bytes() throws -> [UInt8] { try Files.read("/proc/self/fd/\(descriptor)") }
  }
}

extension Devices {
  /// Simulated keys in this process, as if they were plugged in.
  static func simulated(_ keys: [SimulatedKey]) -> Devices {
    let all = keys.indices.map { number in
      AuthenticatorDescriptor(
        path: "/dev/hidraw\(number)", product: "Virtual Key", manufacturer: "keybackup",
        vendorID: 0x1234, productID: 1, transport: .usb, way: .reader(""), insertion: 0)
    }
    return Devices(
      connected: { () async throws(PRFDeviceError) in all },
      pluggedIn: { () throws(PRFDeviceError) in all },
      at: { (path) async throws(PRFDeviceError) in
        guard let found = all.first(where: { $0.path == path }) else { throw .noAuthenticator }
        return found
      },
      wait: { (_, isWanted) async throws(PRFDeviceError) in
        guard isWanted(all) else { throw .noAuthenticator }
        return all
      },
      readers: { ReaderReport(service: .notRunning, readers: []) }, inaccessible: { [] },
      open: { (descriptor, options) async throws(PRFDeviceError) in
        guard let place = all.firstIndex(of: descriptor) else { throw .noAuthenticator }
        return try await PRFDevice.Authenticator.open(over: keys[place], options: options)
      })
  }
}
