import TestSupport
import Testing

/// The sample package: three programs that use the libraries, on a simulated security key and a real
/// folder; and the libraries' documentation.
@Suite(.serialized) struct ExampleTests {
  private static let built = Task { try await made("examples") }

  /// Runs make, on a thread of its own.
  private static func made(_ target: String) async throws -> FinishedProgram {
    try await withCheckedThrowingContinuation { continuation in
      startThread {
        continuation.resume(
          with: Result {
            try FinishedProgram(["/usr/bin/make", "-s", "-C", Build.root, target])
          })
      }
    }
  }

  /// A sample program; builds all of them first, which `make test` has done before.
  private func program(_ name: String) async throws -> String {
    let make = try await Self.built.value
    try #require(make.code == 0, "\(make.output)")
    return Build.root + "/.build/examples/debug/" + name
  }

  private func run(
    _ name: String, _ arguments: [String], in box: Sandbox, typed: String = "",
    expecting: Int32 = 0
  ) async throws -> Outcome {
    let outcome = try await box.run(
      [try await program(name)] + arguments, input: Array("\(Sandbox.pin)\n\(typed)".utf8))
    #expect(outcome.code == expecting, "\(name): \(outcome.text)")
    return outcome
  }

  @Test
  func `DeriveKey gives what the command gives for the same credential and input`() async throws {
    let box = try Sandbox()
    _ = try await run("DeriveKey", ["create"], in: box)
    let derived = try await run("DeriveKey", ["disk encryption"], in: box)
    let same = try await box.keybackup(
      ["derive", "--rp-id", "example:", "--salt", "disk encryption"])
    #expect(derived.out == same.out && derived.out.utf8.count == 65)
    #expect(derived.err == "Touch the security key now.\n")
  }

  @Test
  func `ReadBackup lists the wallets of a backup that the command made`() async throws {
    let backup = try await PreparedBackup()
    let read = try await run(
      "ReadBackup", [backup.box.folder, backup.box.root + "/state"], in: backup.box)
    for id in PreparedBackup.ids {
      #expect(read.out.contains("Name of \(id) Bitcoin mnemonic current"), "\(read.out)")
    }
    for secret in Samples.secrets { #expect(!read.text.contains(secret)) }
    // What is damaged is told.
    try Files.write("{}", to: backup.wallets[0])
    let damaged = try await run(
      "ReadBackup", [backup.box.folder, backup.box.root + "/state"], in: backup.box, expecting: 1)
    #expect(damaged.err.contains("wallets/"), "\(damaged.text)")
  }

  @Test
  func `WriteWallet adds a wallet that the command restores`() async throws {
    let backup = try await PreparedBackup()
    let arguments = [backup.box.folder, backup.box.root + "/state", "From a sample"]
    _ = try await run("WriteWallet", arguments, in: backup.box, typed: Samples.mnemonic + "\n")
    try await backup.box.keybackup(["restore", "--out", backup.box.root + "/restored"])
    let restored = try Files.contents(backup.box.root + "/restored").values
      .map { try JSON($0) }.first { $0["metadata"]["name"].text == "From a sample" }
    #expect(restored?["secret"]["Mnemonic"].text == Samples.mnemonic)
    #expect(restored?["metadata"]["master_fingerprint"].text == "73c5da0a")

    let trace = try await backup.box.traced {
      let words = Samples.mnemonic.replacing("about", with: "abandon")
      let wrong = try await backup.box.run(
        [try await program("WriteWallet")] + arguments,
        input: Array("\(Sandbox.pin)\n\(words)\n".utf8))
      #expect(wrong.code != 0 && wrong.err.contains("mnemonicChecksum"), "\(wrong.text)")
    }
    #expect(trace == [], "the key was asked before the words were checked")
  }

  @Test
  func `make docs builds the documentation of every library, without a warning`() async throws {
    _ = try await program("DeriveKey")
    let make = try await Self.made("docs")
    #expect(make.code == 0, "\(make.output)")
    // SwiftPM's own word about pkg-config's flags is none of the documentation's.
    let warnings = make.output.split(separator: "\n")
      .filter { $0.contains("warning:") && !$0.contains("prohibited flag") }
    #expect(warnings == [], "\(make.output)")
    for library in ["SecretMemory", "PRFDevice", "CSPP", "BackupFolder", "WalletFormats"] {
      let place = "\(Build.root)/.build/docs/\(library)/documentation/\(library.lowercased())"
      #expect(Files.exists(place + "/index.html"), "\(place)")
    }
  }

  @Test
  func `docs/libraries.md names every library that the package offers`() throws {
    let page = try Files.text(Build.root + "/docs/libraries.md")
    let manifest = try Files.text(Build.root + "/Package.swift")
    // The others are for Guards/.
    let offered = try #require(manifest.split(separator: "For Guards/ alone").first)
    let names = offered.matches(of: /\.library\(name: "(\w+)"/).map { String($0.1) }
    #expect(names.count == 6)
    for name in names { #expect(page.contains("| `\(name)` |"), "\(name)") }
  }
}
