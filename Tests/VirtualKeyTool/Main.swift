import ArgumentParser
import Glibc
import VirtualKey

/// Runs a program with simulated security keys in view.
@main
struct VirtualKeyTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "virtual-key",
    abstract: "Run a program with a simulated security key as /dev/hidraw0.",
    discussion: """
      On the bus umockdev the program sees the keys asked for and nothing else. The buses uhid and \
      gadget show them to the whole computer and need root: they are for the virtual machine \
      (Tests/VM/run). The program's streams, terminal, signals and exit code pass through.

      Settings (for every key with the option of the same name, for one key after its state file):
      \(KeySettings.help)

      Faults:
      \(Fault.help)
      """)

  @Option(help: "What the keys are plugged into.")
  var bus = BusKind.umockdev

  @Option(help: "A key that keeps its memory in this file: FILE[,SETTING[=VALUE]...]; may repeat.")
  var key: [String] = []

  @Option(help: "The memory of the only key, created if missing; without it the key is new.")
  var state: String?

  @Flag(help: "A bus without a key.")
  var noKey = false

  @Option(help: "Set this PIN if the key's memory is new.")
  var pin: String?

  @Option(
    help:
      "What the person does: auto, never, deny, or when they touch: milliseconds, or a file that is waited for."
  )
  var touch: String?

  @Option(help: "PIN protocols in the order the key lists them: 1,2 or 2,1 or 1 or 2.")
  var pinProtocols: String?

  @Flag(help: "A key without hmac-secret.")
  var noHmacSecret = false

  @Option(help: "Something that goes wrong; may repeat.")
  var fault: [String] = []

  @Option(help: "Put the credential described in this JSON file into the key; may repeat.")
  var importCredential: [String] = []

  @Option(help: "Milliseconds until the key is pulled out, or a file that is waited for.")
  var unplugAfterMs: String?

  @Option(help: "Milliseconds until the key is plugged in, or a file that is waited for.")
  var plugAfterMs: String?

  @Flag(help: "The program may not open the key's node.")
  var unreadable = false

  @Option(
    name: .customLong("set"), help: "Any other setting: NAME or NAME=VALUE; may repeat.")
  var settings: [String] = []

  @Option(help: "Append one line for each thing a key is asked to this file.")
  var trace: String?

  @Argument(parsing: .postTerminator, help: "The program and its arguments, after --.")
  var command: [String] = []

  func run() throws {
    guard !command.isEmpty else { throw ValidationError("which program? (after --)") }
    let keys = try plannedKeys()
    bus.prepare(for: keys)
    let traced = try trace.map { path in
      try keys.indices.map { index in
        try Trace(path: path, prefix: keys.count > 1 ? "hidraw\(index) " : "")
      }
    }
    if unreadable { Child.loseAccessOverride() }
    // Before any thread exists: all threads inherit the mask, so that only `wait` takes signals.
    Child.blockSignals()
    let bus = try makeBus(for: keys)
    defer { bus.remove() }
    for (index, key) in keys.enumerated() {
      let trace = traced?[index] ?? Trace()
      guard let moment = key.plugs else {
        try bus.plug(index, key, trace: trace, announced: false)
        continue
      }
      try startThread {
        moment.wait()
        try? bus.plug(index, key, trace: trace, announced: true)
      }
    }
    let child = try Child(command)
    let status = child.wait()
    bus.remove()
    // Not by an error, for which the parser would write a help page first.
    Glibc.exit(status)
  }

  /// Makes the bus, with readers beside it if a key lies on one.
  ///
  /// The program never sees the readers of this computer.
  private func makeBus(for keys: [KeySettings]) throws -> any Bus {
    var count = 0
    let places = keys.map { key -> Int? in
      guard key.isOnReader ?? (bus == .pcsc) else { return nil }
      count += 1
      return count - 1
    }
    // Readers first: they change the environment, which the bus's threads read.
    guard count > 0 || bus == .pcsc else {
      ReaderBus.hideReaders()
      return try bus.makeBus(unreadable: unreadable)
    }
    let readers = try ReaderBus(places: max(1, count))
    do {
      return BusWithReaders(
        bus: try bus.makeBus(unreadable: unreadable), readers: readers, places: places)
    } catch {
      readers.remove()
      throw error
    }
  }

  private func plannedKeys() throws -> [KeySettings] {
    do {
      return try describedKeys()
    } catch let error as SettingError {
      throw ValidationError(error.description)
    }
  }

  private func describedKeys() throws -> [KeySettings] {
    var common = KeySettings()
    let options: [(String, String?)] = [
      ("pin", pin), ("touch", touch), ("pin-protocols", pinProtocols),
      ("unplug-after-ms", unplugAfterMs), ("plug-after-ms", plugAfterMs),
    ]
    for (name, value) in options {
      if let value { try common.apply(name, value) }
    }
    if noHmacSecret { try common.apply("no-hmac-secret", nil) }
    for fault in fault { try common.apply("fault", fault) }
    for path in importCredential { try common.apply("import-credential", path) }
    for setting in settings { try common.apply(setting[...]) }
    guard !noKey else { return [] }
    var keys: [KeySettings] = []
    for description in key {
      var settings = common
      let parts = description.split(separator: ",", omittingEmptySubsequences: false)
      if let path = parts.first, !path.isEmpty { settings.statePath = String(path) }
      for part in parts.dropFirst() { try settings.apply(part) }
      keys.append(settings)
    }
    if keys.isEmpty {
      common.statePath = state
      keys = [common]
    } else if state != nil {
      throw ValidationError("--state is for the only key; give several with --key")
    }
    return keys
  }
}
