import TestSupport
import Testing

/// Electrum itself: its wallet is watched, restored elsewhere, and opened.
@Suite struct ElectrumTests {
  /// Runs Electrum without a network, in a folder of its own.
  private func electrum(
    _ box: Sandbox, _ place: String, _ arguments: [String],
    at location: SourceLocation = #_sourceLocation
  ) async throws -> Outcome {
    let run = try await box.run(
      ["electrum", "--offline", "--regtest", "-D", place + "/electrum"] + arguments, key: nil,
      home: place)
    #expect(run.code == 0, "electrum: \(run.text)", sourceLocation: location)
    return run
  }

  @Test func `A wallet of Electrum is watched, restored elsewhere and opened`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    let (box, home) = (computers.box, computers.serverHome)
    let wallet = home + "/wallets/savings"
    try Files.makeFolder(home + "/wallets")
    let watcher = try BackgroundProgram(
      [Build.keybackup, "file", "watch", "--no-input", wallet],
      environment: [
        "PATH": "/usr/bin:/bin", "HOME": home, "LANG": "C.UTF-8", "KEYBACKUP_FOLDER": box.folder,
      ], log: box.root + "/log")
    try await waitUntil("the watcher watches") {
      watcher.output.contains("Watching 1 file.") ? nil : watcher.output
    }
    let made = try await JSON(electrum(box, home, ["create", "-w", wallet]).output)
    #expect(made["seed"].text?.split(separator: " ").count == 12)
    let first = try await JSON(electrum(box, home, ["listaddresses", "-w", wallet]).output)[0].text
    #expect(first?.hasPrefix("bcrt1") == true)
    _ = try await electrum(box, home, ["setlabel", "-w", wallet, first ?? "", "rent"])
    let written = try Files.read(wallet)

    // The newest content is in the backup, whatever came before it.
    let third = box.root + "/third"
    let out = computers.target()
    try await waitUntil("the newest wallet file is in the backup") {
      try? Files.remove(out)
      let run = try await computers.third(
        ["file", "restore", "savings", "--out", out], expecting: nil)
      guard run.code == 0 else { return run.text }
      return try Files.read(out + "/node/savings") == written ? nil : watcher.output
    }
    let restored = out + "/node/savings"
    let opened = try await JSON(electrum(box, third, ["listaddresses", "-w", restored]).output)
    #expect(opened[0].text == first, "\(opened)")
    let labels = try await electrum(box, third, ["listaddresses", "--labels", "-w", restored])
    #expect(labels.out.contains("rent"), "\(labels.text)")
    let seed = try await electrum(box, third, ["getseed", "-w", restored])
    #expect(made["seed"].text == String(seed.out.dropLast()), "\(seed.text)")
  }
}
