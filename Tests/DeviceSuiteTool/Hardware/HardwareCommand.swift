import ArgumentParser
import DeviceSuite
import Foundation
import Glibc
import PRFDevice

/// `make hardware-test`.
struct Hardware: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Try a real key: asks first, and leaves it as it was found.",
    discussion: """
      Makes what it names and deletes it again, compares the key's credentials before and after, \
      and prints a report that may be sent in. Never a wrong PIN, another PIN or a reset.
      """)

  @Option(help: "Which key, where there are several: its path.")
  var device: String?

  /// The fewest PIN tries a key must have left, as a mistyped PIN costs one.
  private static let leastTries = 3

  func run() async throws {
    let interruption = Interruption()
    guard let console = Console.open(interruption) else {
      throw refusal(64, "This asks before it starts, and there is no terminal to ask at.")
    }
    let descriptor = try await choose()
    let (info, retries) = try await look(at: descriptor)
    guard confirm(descriptor, info, retries, at: console), interruption.signal == nil else {
      throw refusal(interruption.signal.map { 128 + $0 } ?? 85, "Nothing was done to the key.")
    }
    guard let typed = console.askSecret("PIN of the key (\(retries) tries left): ") else {
      throw refusal(
        interruption.signal.map { 128 + $0 } ?? 85, "No PIN: nothing was done to the key.")
    }
    guard let pin = try? PIN(typed) else {
      throw refusal(65, "This cannot be the PIN of any key: nothing was done to the key.")
    }
    let run = HardwareRun(
      console: console, interruption: interruption, descriptor: descriptor, info: info, pin: pin,
      retries: retries)
    let report = await run.run()
    Console.write(report.text + "\n", to: STDOUT_FILENO)
    if let signal = interruption.signal { throw ExitCode(128 + signal) }
    guard !report.outcomes.isEmpty, report.outcomes.allSatisfy(\.passed), report.isRestored else {
      throw ExitCode(1)
    }
  }

  private func refusal(_ code: Int32, _ text: String) -> ExitCode {
    Console.write(text + "\n", to: STDERR_FILENO)
    return ExitCode(code)
  }

  /// Finds the key to test; never guesses between several.
  private func choose() async throws -> AuthenticatorDescriptor {
    let found: [AuthenticatorDescriptor]
    do {
      found = try await AuthenticatorList.connected()
    } catch .permissionDenied(let path) {
      throw refusal(77, "\(path) is a security key that you may not open: see udev-rules.")
    } catch {
      throw refusal(69, "The keys cannot be listed: \(error)")
    }
    let wanted = device.map { device in found.filter { $0.path == device } } ?? found
    if wanted.count == 1 { return wanted[0] }
    let list = found.map { "  \($0.path)  \($0.manufacturer) \($0.product)" }
    if found.isEmpty { throw refusal(69, "No security key is plugged in.") }
    let problem =
      device.map { "There is no key at \($0)." }
      ?? "Several keys are plugged in. Unplug all but one, or name it:"
    throw refusal(
      wanted.isEmpty ? 69 : 90,
      ([problem] + list + ["  make hardware-test DEVICE=\(found[0].path)"])
        .joined(separator: "\n"))
  }

  /// Reads the key's description; refuses a key that could not pass or might suffer.
  private func look(
    at descriptor: AuthenticatorDescriptor
  ) async throws -> (AuthenticatorInfo, Int) {
    do {
      let key = try await Authenticator.open(descriptor)
      let info = try await key.info()
      guard info.supportsPRF else {
        throw refusal(86, "This key has no hmac-secret: keybackup cannot use it.")
      }
      guard info.isPINSet else {
        throw refusal(83, "This key has no PIN: set one first, with keybackup pin set.")
      }
      guard !info.needsPINChange else {
        throw refusal(81, "This key wants its PIN changed first, with keybackup pin change.")
      }
      let retries = try await key.pinRetries()
      await key.close()
      guard retries >= Self.leastTries else {
        throw refusal(
          82,
          "Only \(retries) PIN tries are left: too few for a test. The right PIN, used for "
            + "something else, gives them back.")
      }
      return (info, retries)
    } catch let error as PRFDeviceError {
      throw refusal(1, "The key cannot be used: \(error)")
    }
  }

  /// Names everything that will happen and waits for a typed yes.
  private func confirm(
    _ descriptor: AuthenticatorDescriptor, _ info: AuthenticatorInfo, _ retries: Int,
    at console: Console
  ) -> Bool {
    let (behaviours, leftOut) = HardwareRun.plan(for: info, descriptor.transport)
    let touches = behaviours.reduce(0) { $0 + ($1.touches ?? 0) }
    let stores = !leftOut.contains { $0.0.name == "create-discoverable" }
    var lines = [
      "", "Key: \(descriptor.manufacturer) \(descriptor.product), \(descriptor.path)", "",
      "This test will, on this key and for the relying party \(PluggedKeys.rpID) only,",
      "  - make 1 credential that takes no room on the key, and forget it;",
    ]
    if stores {
      lines.append(
        "  - make 1 discoverable credential named \"device suite\", and delete it;")
      lines.append(
        "  - delete discoverable credentials of \(PluggedKeys.rpID) that an earlier run left;")
      lines.append(
        "  - list the key's credentials before and after, to compare; they are not shown;")
    }
    lines += [
      descriptor.transport == .nfc
        ? "  - need it to lie on the reader all the time;"
        : "  - need \(touches) touches, and once no touch at all;",
      "  - use the PIN you type (\(retries) tries are left; a mistyped one costs one, and ends it).",
      "It does not change the PIN, nor reset the key, nor touch any other credential.", "",
    ]
    console.show(lines.joined(separator: "\n"))
    return console.ask("Type yes to begin: ") == "yes"
  }
}
