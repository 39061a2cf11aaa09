import Foundation
import TestSupport
import Testing

/// The scripts of Examples/recipes beside what docs/recipes.md shows of them: where the secret is
/// never seen, and what happens when there is none.
@Suite struct RecipeTests {
  /// A computer with a security key, a credential on it, and `keybackup` in the path.
  private struct Computer {
    let box: Sandbox
    var image: String { box.root + "/disk.img" }
    private var log: String { box.root + "/calls" }

    init() async throws {
      box = try Sandbox()
      try await box.keybackup(["credential", "create"])
      try Files.makeFolder(box.root + "/made")
      try Files.write(
        "#!/bin/sh\nexec sh '\(box.root)/plugged' \"$@\"\n", to: box.root + "/made/keybackup",
        mode: 0o755)
      // Copied by another process: nobody may run a file that a child of another test has open.
      let copy = try FinishedProgram(["/bin/cp", "-r", box.root + "/made", box.root + "/bin"])
      try #require(copy.code == 0, "\(copy.output)")
      try plug("key.json")
      try await run("truncate -s 32M disk.img && echo letter >letter && mkdir repository")
    }

    /// Puts another key, or none, in the place of the one that is plugged in.
    func plug(_ key: String?) throws {
      let options = key.map { "--state '\(box.root)/\($0)' --pin '\(Sandbox.pin)'" } ?? "--no-key"
      try Files.write(
        """
        exec '\(Build.virtualKey)' \(options) -- \
          '\(Build.keybackup)' "$@" --pin-file '\(box.pinFile)'

        """, to: box.root + "/plugged")
    }

    /// Runs a command in bash, in the sandbox; every program that is started is noted.
    @discardableResult
    func run(
      _ command: String, input: String = "", expecting: Int32? = 0,
      at location: SourceLocation = #_sourceLocation
    ) async throws -> Outcome {
      let recipes = Build.root + "/Examples/recipes"
      let outcome = try await box.run(
        [
          "strace", "-f", "-qq", "-v", "-s", "65536", "-A", "-o", log, "-e", "trace=execve",
          "bash", "-o", "pipefail", "-c", "cd '\(box.root)' && \(command)",
        ], key: nil, input: Array(input.utf8),
        environment: ["PATH": "\(box.root)/bin:\(recipes):/usr/bin:/bin:/usr/sbin:/sbin"])
      if let expecting {
        #expect(outcome.code == expecting, "\(command): \(outcome.text)", sourceLocation: location)
      }
      return outcome
    }

    /// The secret of a salt, 64 hex digits, and bytes.
    func secret(_ salt: String) async throws -> (hex: String, bytes: [UInt8]) {
      let hex = try await box.keybackup(["derive", "--salt", salt]).out.trimmed
      let bytes = stride(from: 0, to: 64, by: 2).compactMap {
        UInt8(hex.dropFirst($0).prefix(2), radix: 16)
      }
      return (hex, bytes)
    }

    /// Expects none of these in what was started, with its environment, or in any file.
    func expectNowhere(
      _ secrets: [[UInt8]], at location: SourceLocation = #_sourceLocation
    ) throws {
      let calls = try Files.text(log)
      #expect(calls.contains("--salt"), "the log of calls is worth something")
      for (name, bytes) in try Files.contents(box.root) {
        for secret in secrets {
          let isThere = secret.isEmpty || bytes.contains(secret)
          #expect(!isThere, "in \(name)", sourceLocation: location)
        }
      }
    }
  }

  @Test
  func `A disk's secret is in no argument, environment or file`() async throws {
    let computer = try await Computer()
    let format = "cryptsetup luksFormat -q --pbkdf pbkdf2 --pbkdf-force-iterations 1000 disk.img"
    try await computer.run("printf old >old && \(format) old")
    let uuid = try await computer.run("cryptsetup luksUUID disk.img").out.trimmed
    let secret = try await computer.secret("luks \(uuid)")
    try await computer.run(
      "exec 4<old && sed 's|luksAddKey|& --key-file /dev/fd/4|' \"$(command -v luks-add)\" >add"
        + " && bash add disk.img")
    try await computer.run("luks-open disk.img --test-passphrase")
    try computer.expectNowhere([secret.bytes, Array(secret.hex.utf8)])
    // That secret, and not an empty one or its spelling.
    try await computer.run(
      "cryptsetup open --test-passphrase --key-file - disk.img", input: "", expecting: 1)
    try await computer.run(
      "cryptsetup open --test-passphrase --key-file - disk.img", input: secret.hex, expecting: 2)
  }

  @Test
  func `Without the right security key nothing is added and nothing opens`() async throws {
    let computer = try await Computer()
    try await computer.run(
      "printf old >old && cryptsetup luksFormat -q --pbkdf pbkdf2 --pbkdf-force-iterations 1000"
        + " disk.img old")
    let before = try await computer.run("cryptsetup luksDump disk.img").out
    try computer.plug(nil)
    try await computer.run("luks-add disk.img", expecting: 69)
    try await computer.run("luks-open disk.img --test-passphrase", expecting: 69)
    try await computer.run("restic-add-key repository AAAA BBBB", expecting: 69)
    #expect(try await computer.run("cryptsetup luksDump disk.img").out == before)
    try computer.plug("other.json")
    try await computer.run("keybackup credential create")
    try await computer.run("luks-open disk.img --test-passphrase", expecting: 2)
  }

  @Test
  func `The secrets of restic and age are in no argument, environment or file`() async throws {
    let computer = try await Computer()
    let restic = "RESTIC_PASSWORD_COMMAND='keybackup derive --salt restic' restic --repo repository"
    try await computer.run("\(restic) init && \(restic) backup letter")
    let identity = "keybackup derive --salt age --encoding raw | age-identity"
    try await computer.run(
      "\(identity) | age-keygen -y >recipients && age -R recipients -o letter.age letter")
    let opened = try await computer.run("\(identity) | age --decrypt --identity - letter.age")
    #expect(opened.out == "letter\n")
    let spelled = try await computer.run("\(identity) | cat").out.trimmed
    #expect(spelled.hasPrefix("AGE-SECRET-KEY-1") && spelled.count == 74)
    let secrets = [try await computer.secret("restic"), try await computer.secret("age")]
    try computer.expectNowhere(
      secrets.flatMap { [$0.bytes, Array($0.hex.utf8)] } + [Array(spelled.utf8)])
  }

  @Test
  func `age-identity refuses what is no secret of 32 bytes`() async throws {
    let computer = try await Computer()
    for input in ["", "short", String(repeating: "a", count: 33)] {
      let refused = try await computer.run("age-identity", input: input, expecting: 1)
      #expect(refused.out == "" && refused.err.contains("32 bytes"), "\(refused.text)")
    }
  }
}

extension String {
  fileprivate var trimmed: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}

extension [UInt8] {
  fileprivate func contains(_ other: [UInt8]) -> Bool { Data(self).range(of: Data(other)) != nil }
}
