import Testing

/// The builds before `make test`, side by side or one after the other.
@Suite struct BuildForTestsTests {
  /// Runs scripts/build-for-tests with a compiler that only notes its calls.
  ///
  /// `release` is the program that must lie beside the tests' build of the guard; nil when the build fails.
  private func build(
    _ way: String, _ compiler: String, release: String?
  ) async throws -> (Outcome, calls: [String]) {
    let box = try Sandbox()
    try Files.makeFolder(box.root + "/source")
    try Files.copy(Build.root + "/scripts", to: box.root + "/source/scripts")
    try Files.write(
      """
      #!/bin/bash
      echo "begin $*" >>"$calls"
      \(compiler)
      echo "end $*" >>"$calls"
      for program in {.build,.build/tested}/release/keybackup{,-foreign,-nostr,-guard-commands} Guards/.build/debug/keybackup-guard; do
        mkdir -p .build/debug "${program%/*}"
        echo "$program" >"$program"
      done

      """, to: box.root + "/swift", mode: 0o755)
    try Files.write("#!/bin/sh\necho /dev/null\n", to: box.root + "/clang", mode: 0o755)
    let outcome = try await box.run(
      [box.root + "/source/scripts/build-for-tests"], key: nil,
      environment: [
        "SWIFT": box.root + "/swift", "KEYBACKUP_BUILD": way, "calls": box.root + "/calls",
      ])
    let calls = try Files.text(box.root + "/calls").split(separator: "\n").map { line in
      // What is built tells the calls apart.
      let words = line.split(separator: " ")
      let what =
        words.contains("--build-tests")
        ? words.contains("Guards") ? "guards" : "tests"
        : words.contains("release")
          ? "release"
          : words.contains("Examples")
            ? "samples" : "packages"
      return "\(words[0]) \(what)\(words.contains(".build/tested") ? " apart" : "")"
    }
    #expect(Files.tree(box.root + "/tmp").isEmpty, "no folder is left")
    if let release {
      outcome.expectSuccess()
      let keybackup = box.root + "/source/.build/for-tests/keybackup"
      #expect(outcome.out == keybackup + "\n")
      #expect(try Files.text(keybackup) == release + "\n")
      for name in ["-foreign", "-nostr", "-guard-commands"] {
        #expect(try Files.text(keybackup + name) == release + name + "\n")
      }
      let ofGuards = "Guards/.build/debug/keybackup-guard\n"
      #expect(try Files.text(keybackup + "-guard") == ofGuards)
      #expect(try Files.text(box.root + "/source/.build/debug/keybackup-guard") == ofGuards)
    }
    return (outcome, calls)
  }

  @Test func `Side by side, the release has a folder of its own, and the samples follow it`()
    async throws
  {
    // The tests are built only once the release has begun, and end only after the samples.
    let (_, calls) = try await build(
      "together",
      """
      case "$*" in
        *--build-tests*) until grep -q "end.* Examples" "$calls"; do sleep 0.02; done ;;
        *release*) until grep -q "begin.*--build-tests" "$calls"; do sleep 0.02; done ;;
      esac
      """, release: ".build/tested/release/keybackup")
    #expect(calls.prefix(2) == ["begin packages", "end packages"], "\(calls)")
    #expect(Set(calls[2..<4]) == ["begin tests", "begin release apart"], "\(calls)")
    #expect(
      calls[4...] == [
        "end release apart", "begin release apart", "end release apart", "begin release apart",
        "end release apart", "begin release apart", "end release apart", "begin samples",
        "end samples", "end tests", "begin guards",
        "end guards",
      ], "\(calls)")
  }

  @Test func `One after the other, in one folder`() async throws {
    let (_, calls) = try await build("apart", "", release: ".build/release/keybackup")
    #expect(
      calls
        == ["tests", "guards", "release", "release", "release", "release", "samples"].flatMap {
          ["begin " + $0, "end " + $0]
        },
      "\(calls)")
  }

  @Test(arguments: ["tests", "guards", "release"])
  func `A build that fails ends all`(_ what: String) async throws {
    let patterns = ["tests": "*--build-tests*", "guards": "*Guards*", "release": "*release*"]
    let failing = try #require(patterns[what])
    let other = what == "release" ? "*--build-tests*" : "*release*"
    let (outcome, calls) = try await build(
      "together",
      """
      case "$*" in
        \(failing)) until [ "$(grep -c begin "$calls")" -ge 3 ]; do sleep 0.02; done; exit 7 ;;
        \(other)) \(what == "release" ? ":" : "sleep 86400") ;;
      esac
      """, release: nil)
    #expect(outcome.code == 7 && outcome.out.isEmpty, "\(outcome.text)")
    #expect(!calls.contains("end release apart") && !calls.contains("begin samples"), "\(calls)")
  }
}
