import FoundationEssentials
import Glibc
import Testing

/// The `virtual-key` command around programs that do not know it.
@Suite struct ToolTests {
  /// A folder of the test, used also for umockdev's folder.
  private final class Folder {
    let path: String
    init() throws {
      path = FileManager.default.temporaryDirectory.path + "/virtual-key-test-\(UUID())"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    deinit { try? FileManager.default.removeItem(atPath: path) }
    var contents: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }
  }

  private let folder: Folder

  init() throws { folder = try Folder() }

  private func start(_ arguments: [String], input: String = "") throws -> Program {
    try Program(
      "/usr/bin/env", ["TMPDIR=\(folder.path)", Repository.virtualKey] + arguments, input: input)
  }

  private func run(_ arguments: [String], input: String = "") throws -> Program.Result {
    let result = try start(arguments, input: input).wait()
    #expect(!folder.contents.contains { $0.hasPrefix("umockdev") })
    return result
  }

  @Test(arguments: [
    ("exit 0", Int32(0)), ("exit 7", 7), ("kill -TERM $$", 143), ("kill -KILL $$", 137),
  ])
  func `The exit code is the program's`(script: String, expected: Int32) throws {
    #expect(try run(["--", "sh", "-c", script]).status == expected)
  }

  @Test func `The streams are the program's`() throws {
    let result = try run(["--", "sh", "-c", "cat; echo error >&2"], input: "input\n")
    #expect(result.output == "input\nerror\n")
  }

  @Test(arguments: [
    [], ["--"], ["--touch", "maybe", "--", "true"], ["--fault", "x", "--", "true"],
    ["--set", "x", "--", "true"], ["--pin-protocols", "3", "--", "true"],
    ["--key", "a", "--state", "b", "--", "true"], ["--bogus", "--", "true"], ["true"],
  ])
  func `A wrong command line ends with 64`(arguments: [String]) throws {
    #expect(try run(arguments).status == 64)
  }

  @Test func `Program that does not exist`() throws {
    let result = try run(["--", "/nonexistent"])
    #expect(result.status != 0)
    #expect(result.output.contains("/nonexistent"))
  }

  @Test(arguments: [
    (["--no-key"], 0), ([], 1), (["--key", ",product=One", "--key", ",product=Two"], 2),
  ])
  func `Every simulated key is in view`(options: [String], count: Int) throws {
    let result = try run(options + ["--", "fido2-token", "-L"])
    #expect(result.status == 0)
    #expect(result.output.split(separator: "\n").count == count)
    for index in 0..<count { #expect(result.output.contains("/dev/hidraw\(index): ")) }
  }

  @Test func `Each key has its own settings`() throws {
    let state = folder.path + "/second.json"
    let result = try run([
      "--pin-protocols", "1", "--trace", folder.path + "/trace", "--key", ",no-hmac-secret",
      "--key", state + ",pin=1234,pin-protocols=2+1", "--", "sh", "-c",
      "fido2-token -I /dev/hidraw0; echo ---; fido2-token -I /dev/hidraw1",
    ])
    let parts = result.output.components(separatedBy: "---")
    #expect(parts[0].contains("noclientPin") && parts[1].contains(" clientPin"))
    #expect(!parts[0].contains("hmac-secret") && parts[1].contains("hmac-secret"))
    #expect(parts[0].contains("pin protocols: 1\n") && parts[1].contains("pin protocols: 2, 1\n"))
    #expect(folder.contents.contains("second.json"))
    let trace = try String(contentsOfFile: folder.path + "/trace", encoding: .utf8)
    #expect(trace.hasPrefix("hidraw0 INIT\nhidraw0 CBOR 0x04 getInfo\nhidraw0 STATUS 0x00\n"))
    #expect(trace.contains("\nhidraw1 CBOR 0x06 clientPIN getPINRetries\n"))
  }

  @Test(arguments: ["not json", "{}", ""])
  func `A damaged state is refused and kept`(text: String) throws {
    let path = folder.path + "/state.json"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    #expect(try run(["--state", path, "--", "true"]).status != 0)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
  }

  @Test func `PIN is for new keys only`() throws {
    let state = ["--state", folder.path + "/state.json"]
    _ = try run(state + ["--pin", "1234", "--", "true"])
    let before = try String(contentsOfFile: state[1], encoding: .utf8)
    _ = try run(state + ["--pin", "5678", "--", "true"])
    #expect(try String(contentsOfFile: state[1], encoding: .utf8) == before)
  }

  private struct Published: Decodable {
    let rpID: String
    let input: String
    let output: String

    private enum CodingKeys: String, CodingKey {
      case rpID = "rp_id"
      case input = "prf_salt"
      case output = "prf_output"
    }
  }

  /// A key that holds a published credential gives the published output.
  @Test func `An imported credential gives the published output`() throws {
    let vectors = Repository.path("Tests/Vectors/cspp/namespace-current.json")
    let published = try JSONDecoder().decode(
      Published.self, from: Data(contentsOf: URL(filePath: vectors)))
    let result = try run([
      "--import-credential", vectors, "--pin", "1234", "--", try Repository.python(),
      Repository.path("Tests/interop/python_fido2.py"), "evaluate", "--rp-id",
      published.rpID, "--pin", "1234", "--prf-input", published.input,
    ])
    #expect(result.output == published.output + "\n")
  }

  // MARK: - Comings and goings

  private let makeCredential = """
    printf '%s\\nexample.com\\nalice\\nAQ==\\n' \
    "$(head -c 32 /dev/zero | base64)" | fido2-cred -M -h /dev/hidraw0
    """

  @Test(arguments: [
    ["--touch", "never"], ["--fault", "unplug-on-touch"], ["--fault", "unplug:makeCredential"],
  ])
  func `An unplugged key is gone for the program`(options: [String]) throws {
    let (trace, away) = (folder.path + "/trace", folder.path + "/away")
    // A key without a fault is unplugged when it waits for the touch.
    let unplug = "(until grep -q WAITING '\(trace)'; do sleep 0.02; done; : >'\(away)') & "
    let isUnplugged = options.contains("never")
    let result = try run(
      options + ["--trace", trace] + (isUnplugged ? ["--unplug-after-ms", away] : [])
        + [
          "--", "sh", "-c",
          (isUnplugged ? unplug : "") + makeCredential + "; fido2-token -L; test -e /dev/hidraw0",
        ])
    #expect(result.output == "fido2-cred: fido_dev_make_cred: FIDO_ERR_RX\n")
    #expect(result.status == 1)
  }

  @Test func `Plugging in and unplugging are announced by udev`() throws {
    let result = try run([
      "--plug-after-ms", folder.path + "/plug", "--unplug-after-ms", folder.path + "/unplug", "--",
      try Repository.python(), Repository.path("Tests/interop/monitor.py"), folder.path,
    ])
    // The bus announces a key a second time, unless it was unplugged before.
    let once = "add /dev/hidraw0\nremove /dev/hidraw0\n"
    #expect(result.output == once || result.output == "add /dev/hidraw0\n" + once)
  }

  @Test func `A node that nobody may read is refused`() throws {
    let result = try run(["--unreadable", "--", "sh", "-c", "cat /dev/hidraw0"])
    #expect(result.output.contains("Permission denied"))
    #expect(result.status == 1)
  }

  // MARK: - Signals

  /// The program decides what to do; nothing is left behind.
  @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
  func `Signals are passed on`(signal: Int32) throws {
    let script = "trap 'echo caught; exit 3' TERM INT HUP; echo ready; while :; do sleep 0.05; done"
    let program = try start(["--trace", folder.path + "/trace", "--", "sh", "-c", script])
    program.wait(for: "ready\n")
    kill(program.process, signal)
    let result = program.wait()
    #expect(result.output == "ready\ncaught\n")
    #expect(result.status == 3)
    #expect(!folder.contents.contains { $0.hasPrefix("umockdev") })
  }

  @Test func `Interrupt from the terminal`() throws {
    let result = try Program.run(
      try Repository.python(),
      [Repository.path("Tests/interop/interrupt.py"), Repository.virtualKey])
    #expect(result.output == "interrupted\n")
  }
}
