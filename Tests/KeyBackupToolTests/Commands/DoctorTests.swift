import Glibc
import Testing

@testable import BackupCommands
@testable import CommandKit
@testable import PRFDevice

/// `keybackup doctor`: each line that can fail, and its advice.
@Suite struct DoctorTests {
  @Test func `A usable key is all right`() async throws {
    let box = try Sandbox()
    let outcome = try await box.keybackup(["doctor"], pin: .none)
    #expect(outcome.out.contains("ok       key /dev/hidraw0: Virtual Key can be used: hmac-secret"))
    #expect(outcome.out.contains("8 tries left, at least 4 characters"))
    #expect(!outcome.out.contains("FAILED"))
    let checks = try await box.doctor()
    #expect(checks.keys.contains("device-access") && checks.keys.contains("udev-rules"))
    let key = checks["key /dev/hidraw0"]?["details"] ?? .null
    #expect(key["hmac_secret"].flag == true && key["pin_set"].flag == true)
    #expect(key["pin_retries"].number == 8 && key["minimum_pin_length"].number == 4)
    #expect(key["pin_protocols"].items.count == 2 && key["rk"].flag == true)
    #expect(key["slots_left"].number == 25 && key["cred_protect"].flag == true)
    // The key got no request that needs a user.
    #expect(!box.trace.contains { $0.contains("TOUCH") } && PINTests.tries(box.trace) == 0)
  }

  /// A fault, with the exit code, the line and the advice that it leads to.
  struct Fault: Sendable, CustomTestStringConvertible {
    var key: [String]
    var code: Int32
    var line: String
    var texts: [String]

    var testDescription: String { key.joined(separator: " ") }
  }

  @Test(arguments: [
    Fault(
      key: ["--unreadable"], code: 77, line: "device-access: you may not open /dev/hidraw0",
      texts: [
        "make install-udev-rule", "/etc/udev/rules.d/70-keybackup.rules",
        #"SUBSYSTEM=="hidraw", ENV{ID_FIDO_TOKEN}=="1", GROUP="plugdev", MODE="0660", TAG+="uaccess""#,
        "udevadm control --reload", "usermod -aG plugdev",
      ]),
    Fault(
      key: ["--no-key"], code: 69, line: "key: no security key is plugged in",
      texts: ["plug one in"]),
    Fault(
      key: ["--no-hmac-secret"], code: 86, line: "key /dev/hidraw0: Virtual Key has no hmac-secret",
      texts: ["use a FIDO2 security key that has it"]),
    Fault(
      key: ["no-pin"], code: 83, line: "key /dev/hidraw0: Virtual Key has no PIN",
      texts: ["keybackup pin set"]),
    Fault(
      key: ["no-pin", "--set", "no-client-pin"], code: 86, line: "has no PIN feature",
      texts: ["verifies its user"]),
    Fault(
      key: ["--set", "force-pin-change"], code: 81, line: "wants a new PIN",
      texts: ["keybackup pin change"]),
    Fault(
      key: ["--set", "pin-retries=0"], code: 82, line: "is blocked for good",
      texts: ["reset", "destroys every credential"]),
    Fault(
      key: ["--fault", "error:getInfo=0x7F"], code: 74,
      line: "key /dev/hidraw0: Virtual Key reported",
      texts: ["replug it"]),
  ])
  func `A key that cannot be used`(_ fault: Fault) async throws {
    let box = try Sandbox()
    let outcome = try await box.keybackup(
      ["doctor"], key: fault.key, pin: .none, expecting: fault.code)
    let failed = outcome.out.split(separator: "\n").filter { $0.hasPrefix("FAILED") }
    #expect(failed.count == 1 && failed[0].contains(fault.line), "\(outcome.text)")
    for text in fault.texts { #expect(outcome.out.contains(text), "\(outcome.text)") }
    let checks = try await box.doctor(key: fault.key, expecting: fault.code)
    let check = checks.values.first { $0["status"].text == "failed" } ?? .null
    #expect(check["code"].text?.isEmpty == false && check["hint"].text?.isEmpty == false)
  }

  @Test func `One broken key does not hide the others`() async throws {
    let box = try Sandbox()
    let keys = [
      "--key", box.root + "/a.json,product=Alpha,no-hmac-secret", "--key",
      box.root + "/b.json,product=Beta",
    ]
    let outcome = try await box.keybackup(["doctor"], key: keys, pin: .none, expecting: 86)
    #expect(outcome.out.contains("Alpha has no hmac-secret"), "\(outcome.text)")
    #expect(outcome.out.contains("Beta can be used"), "\(outcome.text)")
    let named = try await box.keybackup(
      ["doctor", "--device", "/dev/hidraw9"], key: keys, pin: .none, expecting: 69)
    #expect(named.out.contains("no security key at /dev/hidraw9"))
  }

  @Test(arguments: [
    (["--set", "pin-retries=2"], "enter the right PIN once"),
    (["--set", "capacity=0"], "no slot is left"),
  ])
  func `Warnings do not fail`(_ key: [String], _ text: String) async throws {
    let box = try Sandbox()
    let outcome = try await box.keybackup(["doctor"], key: key, pin: .none)
    #expect(outcome.out.contains("warning  key /dev/hidraw0"), "\(outcome.text)")
    #expect(outcome.out.contains(text), "\(outcome.text)")
  }

  // MARK: This computer

  @Test func `Too little memory to lock`() async throws {
    let box = try Sandbox()
    // Root may exceed the limit unless it gives that up.
    let capability = getuid() == 0 ? ["setpriv", "--bounding-set", "-ipc_lock"] : []
    let outcome = try await box.keybackup(
      ["doctor"], pin: .none, wrapper: ["sh", "-c", "ulimit -l 64; exec \"$@\"", "sh"] + capability)
    #expect(
      outcome.out.contains("warning  memory-locking: only 64 KiB may be locked"),
      "\(outcome.text)")
    #expect(outcome.out.contains("ulimit -l 1024"))
  }

  @Test func `The folders are looked at`() async throws {
    let box = try Sandbox()
    let gone = try await box.keybackup(
      ["doctor", "--folder", box.root + "/gone"], pin: .none, expecting: 66)
    #expect(gone.out.contains("FAILED   folder: \(box.root)/gone is not there"), "\(gone.text)")
    #expect(gone.out.contains("mounted?"))
    let homeless = try await box.keybackup(
      ["doctor"], pin: .none, environment: ["HOME": ""], expecting: 78)
    #expect(homeless.out.contains("FAILED   state-folder: no home folder"), "\(homeless.text)")
    unsafe chmod(box.folder, 0o500)
    defer { unsafe chmod(box.folder, 0o700) }
    let capability =
      getuid() == 0 ? ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] : []
    let closed = try await box.keybackup(
      ["doctor"], pin: .none, wrapper: capability, expecting: 77)
    #expect(closed.out.contains("FAILED   folder: \(box.folder) cannot be written"))
    try Files.makeFolder(box.home + "/.config/keybackup")
    try Files.write("nonsense", to: box.home + "/.config/keybackup/config.json")
    let config = try await box.keybackup(
      ["doctor"], pin: .none, environment: ["KEYBACKUP_FOLDER": ""], expecting: 78)
    #expect(config.out.contains("FAILED   folder: the configuration file"), "\(config.text)")
  }

  @Test func `Libfido2s version is debians`() async throws {
    let box = try Sandbox()
    let library = try await box.doctor()["libfido2"] ?? .null
    let debian = try await box.run(
      ["dpkg-query", "--show", "--showformat=${Version}", "libfido2-1"], key: nil)
    let version = library["details"]["version"].text ?? "none"
    #expect(debian.out.hasPrefix(version + "-"), "\(version), \(debian.text)")
    #expect(library["message"].text?.hasPrefix(version) == true)
    // The functions that 1.12 lacks, according to its symbols.
    #expect(
      library["details"]["missing"].items.contains(.string("fido_dev_get_puat"))
        == (version == "1.12.0"))
  }

  // MARK: Rules for udev

  @Test(arguments: [
    (["/etc/udev/rules.d/70-keybackup.rules"], "ok", "every FIDO2 key"),
    (
      ["/usr/lib/udev/rules.d/60-fido-id.rules", "/usr/lib/udev/rules.d/70-uaccess.rules"], "ok",
      "the person at this computer"
    ),
    (["/usr/lib/udev/rules.d/60-fido-id.rules"], "warning", "no rule gives access to them"),
    (["/run/udev/rules.d/70-u2f.rules"], "warning", "listed models only"),
    ([], "warning", "no rule gives access to security keys"),
  ])
  func `The rules are found`(_ files: [String], _ status: String, _ text: String) throws {
    let box = try Sandbox()
    for file in files + ["/run/udev/control"] {
      try Files.makeFolder(
        box.root + file.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 })
      try Files.write("# rule\n", to: box.root + file)
    }
    let check = UdevRules(root: box.root).check
    #expect(check.status.rawValue == status && check.message.contains(text), "\(check)")
    if status != "ok" { #expect(check.hint?.contains("70-keybackup.rules") == true) }
  }

  @Test func `A rule that is switched off is none`() throws {
    let box = try Sandbox()
    for folder in ["/etc/udev/rules.d", "/usr/lib/udev/rules.d"] {
      try Files.makeFolder(box.root + folder)
      try Files.write("# rule\n", to: box.root + folder + "/70-uaccess.rules")
      try Files.write("# rule\n", to: box.root + folder + "/60-fido-id.rules")
    }
    try Files.write("", to: box.root + "/etc/udev/rules.d/70-uaccess.rules")
    let check = UdevRules(root: box.root).check
    #expect(check.status == .warning && check.message.contains("no rule gives access to them"))
    // There is no control socket either.
    #expect(check.message.contains("udev does not run"))
  }

  /// The lines that doctor prints are those of the file.
  @Test func `The printed rule is the installed one`() throws {
    let file = String(
      decoding: try Files.read(Build.root + "/udev-rules/70-keybackup.rules"), as: UTF8.self)
    for part in [
      #"IMPORT{program}="fido_id""#, #"ENV{ID_FIDO_TOKEN}=="1""#, #"GROUP="plugdev""#,
      #"MODE="0660""#, #"TAG+="uaccess""#,
    ] {
      #expect(file.contains(part) && UdevRules.installation.contains(part))
    }
    #expect(!file.contains("idVendor"))
  }

  // MARK: Readers

  @Test func `A key on a reader and an empty one`() async throws {
    let box = try Sandbox()
    let checks = try await box.doctor(key: ["--bus", "pcsc"])
    #expect(checks["pcscd"]?["message"].text?.hasPrefix("runs; ") == true, "\(checks)")
    let readers = checks.filter { $0.key.hasPrefix("reader ") }
    #expect(readers.values.contains { $0["message"].text == "a security key is on it" })
    let key = checks.first { $0.key.hasPrefix("key reader:") }?.value ?? .null
    #expect(key["status"].text == "ok" && key["details"]["transport"].text == "nfc", "\(checks)")
  }

  @Test func `A card without FIDO`() async throws {
    let box = try Sandbox()
    let outcome = try await box.keybackup(
      ["doctor"], key: ["--bus", "pcsc", "--set", "no-fido"], pin: .none, expecting: 69)
    #expect(outcome.out.contains("the card on it has no FIDO"), "\(outcome.text)")
  }

  /// polkit itself does not exist in a test's container.
  @Test func `Pcscd that refuses fails where nothing else works`() {
    let refused = ReaderReport(service: .refused, readers: [])
    let alone = ReaderChecks.run(refused, keyIsUsable: false)[0]
    #expect(alone.status == .failed && alone.code == .permissionDenied)
    #expect(alone.hint?.contains("org.debian.pcsc-lite.access_pcsc") == true)
    #expect(ReaderChecks.run(refused, keyIsUsable: true)[0].status == .warning)
    let absent = ReaderChecks.run(
      ReaderReport(service: .notRunning, readers: []), keyIsUsable: false)[0]
    #expect(absent.status == .ok && absent.hint?.contains("apt install pcscd") == true)
  }

  @Test(arguments: CardReader.State.allCases)
  func `Every state of a reader is explained`(_ state: CardReader.State) {
    let report = ReaderReport(
      service: .running,
      readers: [CardReader(name: "Reader\u{1B} 00 00", state: state, insertion: 0)])
    let check = ReaderChecks.run(report, keyIsUsable: true)[1]
    #expect(!check.name.contains("\u{1B}"))
    #expect(check.status == .ok || check.hint != nil)
  }
}

extension Sandbox {
  /// The results of doctor, by the names of the checks.
  func doctor(key: [String] = [], expecting: Int32 = 0) async throws -> [String: JSON] {
    let outcome = try await keybackup(
      ["doctor", "--json"], key: key, pin: .none, expecting: expecting)
    let checks = try outcome.json()["checks"].items
    return Dictionary(checks.map { ($0["name"].text ?? "", $0) }) { first, _ in first }
  }
}
