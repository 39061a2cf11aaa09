import SecretMemory
import SecretStores
import TestSupport
import Testing

/// A private D-Bus session with gnome-keyring in it, unlocked unless stated otherwise.
final class DesktopSession: Sendable {
  private let box: Sandbox
  private let bus: BackgroundProgram
  private let keyring: BackgroundProgram?

  /// The variables that a program needs to find the session.
  var environment: [String: String] {
    ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(box.root)/bus", "XDG_RUNTIME_DIR": box.root + "/run"]
  }

  var address: SessionBus {
    SessionBus(address: environment["DBUS_SESSION_BUS_ADDRESS"], runtimeFolder: nil)
  }

  /// Starts the bus, and gnome-keyring unless `hasKeyring` is false: then no program stores
  /// secrets.
  init(_ box: Sandbox, hasKeyring: Bool = true) async throws {
    self.box = box
    try Files.makeFolder(box.root + "/run")
    try Files.setMode(box.root + "/run", 0o700)
    try Files.write(
      """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
        <type>session</type><listen>unix:path=\(box.root)/bus</listen>\
      \(hasKeyring ? "<servicedir>/usr/share/dbus-1/services</servicedir>" : "")
        <policy context="default">
          <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
        </policy>
      </busconfig>
      """, to: box.root + "/bus.conf")
    var variables = ["PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": box.home, "LANG": "C.UTF-8"]
    variables["XDG_RUNTIME_DIR"] = box.root + "/run"
    bus = try BackgroundProgram(
      ["dbus-daemon", "--nofork", "--config-file=\(box.root)/bus.conf"], environment: variables,
      log: box.root + "/bus.log")
    let started = bus
    try await waitUntil("the bus listens") {
      Files.exists(box.root + "/bus") ? nil : started.output
    }
    guard hasKeyring else {
      keyring = nil
      return
    }
    variables["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=\(box.root)/bus"
    // From a file, not a pipe: then the shell is the daemon, and ends with the test.
    try Files.write("keyring-password", to: box.root + "/keyring-password")
    let command = "exec gnome-keyring-daemon --foreground --unlock --components=secrets <\"$0\""
    let daemon = try BackgroundProgram(
      ["sh", "-c", command, box.root + "/keyring-password"], environment: variables,
      log: box.root + "/keyring.log")
    keyring = daemon
    let address = SessionBus(
      address: variables["DBUS_SESSION_BUS_ADDRESS"], runtimeFolder: nil)
    try await waitUntil("gnome-keyring is there") {
      Files.exists(box.home + "/.local/share/keyrings/login.keyring")
        && Self.answers(address) ? nil : daemon.output
    }
  }

  private static func answers(_ address: SessionBus) -> Bool {
    do {
      var service = try SecretService(address, isPromptAllowed: false)
      return try service.look(for: ["x": "y"]) == .absent
    } catch {
      return false
    }
  }

  /// The bytes that are stored in the keyring as hex digits.
  func secret(_ attributes: SecretService.Attributes) throws -> [UInt8] {
    var service = try SecretService(address, isPromptAllowed: false)
    var digits: [UInt8] = []
    switch try service.find(attributes) {
    case nil: break
    case .some(let found): unsafe found.withUnsafeBytes { unsafe digits = Array($0) }
    }
    return try stride(from: 0, to: digits.count, by: 2).map { place in
      let pair = String(decoding: digits[place..<min(place + 2, digits.count)], as: UTF8.self)
      return try #require(UInt8(pair, radix: 16), "no hex digits")
    }
  }

  /// Locks the keyring, as a desktop does at the user's request.
  func lock() async throws {
    let outcome = try await box.run(
      [
        "dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.secrets",
        "/org/freedesktop/secrets", "org.freedesktop.Secret.Service.Lock",
        "array:objpath:/org/freedesktop/secrets/collection/login",
      ], key: nil, environment: environment)
    outcome.expectSuccess()
  }
}
