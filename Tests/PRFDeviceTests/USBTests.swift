import Foundation
import TestSupport
import Testing

/// Tests of keys over USB.
///
/// `device-probe`, a program on PRFDevice, sees simulated keys as `/dev/hidraw*` with `virtual-key`
/// around it.
@Suite struct USBTests {
  /// The folder of the built programs: that of the program that runs these tests.
  private static let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()

  /// The output of the probe, in `virtual-key` with `options`; `wrapper` runs between the two.
  private func probe(
    _ arguments: [String], keys options: [String] = ["--pin", "1234"], wrapper: [String] = []
  ) throws -> String {
    let process = Process()
    process.executableURL = Self.products.appending(path: "virtual-key")
    process.arguments =
      options + ["--"] + wrapper + [Self.products.appending(path: "device-probe").path] + arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
  }

  @Test func `A key is found, opened and evaluated`() throws {
    #expect(try probe(["list"]) == "/dev/hidraw0 Virtual Key usb")
    #expect(try probe(["at", "/dev/hidraw0"]) == "/dev/hidraw0 Virtual Key usb")
    #expect(try probe(["retries"]) == "8")
    #expect(try probe(["evaluate"]) == "stable")
  }

  @Test func `A thousand uses leave no file and no thread behind`() throws {
    let left = try probe(["reopen", "1000"])
    let counts = left.matches(of: /[0-9]+/).compactMap { Int($0.output) }
    // A few threads of Swift's own come and go; a leak would show a thousand.
    #expect(counts.count == 2 && counts.allSatisfy { $0 < 20 }, "\(left)")
  }

  @Test func `Several keys are told apart`() throws {
    let keys = ["--key", ",product=One", "--key", ",product=Two"]
    #expect(try probe(["list"], keys: keys) == "/dev/hidraw0 One usb, /dev/hidraw1 Two usb")
    #expect(try probe(["at", "/dev/hidraw1"], keys: keys) == "/dev/hidraw1 Two usb")
  }

  @Test func `No key is told, after the time`() throws {
    #expect(try probe(["list"], keys: ["--no-key"]) == "")
    #expect(try probe(["wait", "100"], keys: ["--no-key"]) == "error: noAuthenticator")
    #expect(try probe(["at", "/dev/hidraw7"]) == "error: noAuthenticator")
  }

  @Test func `A second key is awaited beside the first`() throws {
    let keys = ["--key", ",product=One", "--key", ",product=Two,plug-after-ms=4000"]
    #expect(
      try probe(["wait-for-two", "\(Backstop.milliseconds)"], keys: keys)
        == "/dev/hidraw0 One usb, /dev/hidraw1 Two usb")
  }

  @Test func `Waiting can be cancelled`() throws {
    #expect(try probe(["cancel-wait"], keys: ["--no-key"]) == "error: cancelled")
  }

  @Test(arguments: [["list"], ["wait", "5000"], ["at", "/dev/hidraw0"]])
  func `A key that may not be opened is named`(arguments: [String]) throws {
    #expect(
      try probe(arguments, keys: ["--unreadable"])
        == #"error: permissionDenied(path: "/dev/hidraw0")"#)
  }

  @Test func `A key that another process holds is busy, at once`() throws {
    // libfido2 alone would wait for 21 seconds, each time. A busy computer may be slow, but not each time.
    try blockUntil("a run that ends at once") {
      let start = ContinuousClock.now
      let said = try probe(["retries"], wrapper: ["flock", "/dev/hidraw0"])
      let elapsed = ContinuousClock.now - start
      #expect(said == "error: busy")
      return elapsed < .seconds(18) ? nil : "\(elapsed)"
    }
  }

  @Test(arguments: [
    ["--touch", "never"], ["--fault", "unplug-on-touch"], ["--fault", "unplug:getInfo"],
  ])
  func `A key that is unplugged is lost`(options: [String]) throws {
    let folder = FileManager.default.temporaryDirectory.path + "/usb-test-\(UUID())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (trace, away) = (folder + "/trace", folder + "/away")
    // A key without a fault is unplugged when it waits for the touch.
    let unplugging =
      "(until grep -q WAITING '\(trace)'; do sleep 0.02; done; : >'\(away)') & exec \"$@\""
    let isUnplugged = options.contains("never")
    #expect(
      try probe(
        ["evaluate", "3600000"],
        keys: ["--pin", "1234", "--trace", trace] + options
          + (isUnplugged ? ["--unplug-after-ms", away] : []),
        wrapper: isUnplugged ? ["sh", "-c", unplugging, "sh"] : []) == "error: authenticatorLost")
  }

  @Test(arguments: ["1", "2"])
  func `PIN and output leave no copy in memory`(pinProtocol: String) throws {
    #expect(
      try probe(["leftovers"], keys: ["--pin-protocols", pinProtocol]) == "PIN 0, output 0")
  }
}
