import Glibc
import Testing

/// A full disk: nothing is lost, nothing is half-written.
///
/// Once there is space again, everything continues.
@Suite struct FullDiskTests {
  /// Runs `script` with a file system of `kilobytes` at "$box/disk".
  ///
  /// The mount namespace ends with the script.
  private func onSmallDisk(
    _ box: Sandbox, kilobytes: Int, _ script: String
  ) async throws -> Outcome {
    try Files.makeFolder(box.root + "/disk")
    let setUp = """
      # Not in a chroot, whose root is no mount point: there the last line cleans up.
      mount --make-rprivate / 2>/dev/null
      mount -t tmpfs -o size=\(kilobytes)k,mode=0700,uid=\(getuid()),gid=\(getgid()) tmpfs "$box/disk" || exit 99
      setpriv --reuid \(getuid()) --regid \(getgid()) --clear-groups sh -c "$1"; code=$?
      umount --lazy "$box/disk"; exit $code
      """
    let all = """
      set -u
      export KEYBACKUP_FOLDER="$box/disk/cloud"; mkdir -p "$KEYBACKUP_FOLDER"
      key() { "$virtual" --state "$box/key.json" --pin \(Sandbox.pin) -- "$keybackup" "$@" \
        --pin-file "$box/pin"; }
      fill() { head -c 100M /dev/zero > "$box/disk/ballast" 2>/dev/null; }
      free() { rm "$box/disk/ballast"; }
      files() { (cd "$KEYBACKUP_FOLDER" && find . -type f | sort | xargs -r sha256sum); }
      \(script)
      cp -a "$KEYBACKUP_FOLDER" "$box/after"
      """
    let privileged = isRoot ? [] : ["sudo", "-n", "--preserve-env"]
    let outcome = try await box.run(
      privileged + [
        "unshare", "--mount", "--propagation", "unchanged", "sh", "-c", setUp, "sh", all,
      ],
      key: nil,
      environment: ["box": box.root, "virtual": Build.virtualKey, "keybackup": Build.keybackup])
    // The checks below read the script's lines: without them there is nothing to read.
    try #require(outcome.code == 0, "\(outcome.text)")
    return outcome
  }

  @Test(arguments: [0, 4, 8, 12, 16, 40])
  func `A disk that fills up during init leaves no empty file`(_ kilobytesLeft: Int) async throws {
    let box = try Sandbox()
    let outcome = try await onSmallDisk(
      box, kilobytes: 256,
      """
      fill; truncate -s -\(kilobytesLeft)K "$box/disk/ballast"
      key init; echo "code $?"
      find "$KEYBACKUP_FOLDER" -name '*.json' -size 0 | sed 's/^/empty /'
      free
      key init --json; echo "code $?"
      printf '%s\\n' '\(Samples.entry(id: "a", name: "A"))' | key wallet import -; echo "code $?"
      key restore --out "$box/out"; echo "code $?"
      key verify --deep; echo "code $?"
      """)
    let codes = outcome.out.split(separator: "\n").filter { $0.hasPrefix("code") }
    try #require(codes.count >= 2, "\(outcome.text)")
    let isRoomy = codes.first == "code 0"
    // Either there was space, or it reports io, and the next init starts or finishes.
    #expect(isRoomy || codes.first == "code 74", "\(outcome.text)")
    if isRoomy {
      #expect(kilobytesLeft > 4 && codes[1] == "code 73", "\(outcome.text)")
    } else {
      #expect(codes[1] == "code 0", "\(outcome.text)")
      #expect(outcome.err.contains("no space left") || outcome.err.contains("No space left"))
    }
    #expect(codes.dropFirst(2) == ["code 0", "code 0", "code 0"], "\(outcome.text)")
    #expect(!outcome.out.contains("empty "), "\(outcome.out)")
    #expect(Files.tree(box.root + "/out").count == 1)
    #expect(leftOvers(box).isEmpty, "\(leftOvers(box))")
  }

  @Test(arguments: [0, 4, 8, 12, 20])
  func `A disk that fills up during wallet import loses nothing`(_ kilobytesLeft: Int) async throws
  {
    let box = try Sandbox()
    let big = Samples.entry(id: "big", name: String(repeating: "x", count: 150))
    let outcome = try await onSmallDisk(
      box, kilobytes: 512,
      """
      key init >/dev/null 2>&1
      printf '%s\\n' '\(Samples.entry(id: "a", name: "A"))' | key wallet import - || exit 98
      before=$(files)
      fill; truncate -s -\(kilobytesLeft)K "$box/disk/ballast"
      printf '%s\\n' '\(big)' | key wallet import -; first=$?; echo "code $first"
      # What was there is there, whatever happened.
      echo "$before" | (cd "$KEYBACKUP_FOLDER" && sha256sum --quiet -c -) || echo "changed"
      key restore --out "$box/full"; echo "code $?"
      free
      [ $first = 0 ] || { printf '%s\\n' '\(big)' | key wallet import -; }
      echo "code $?"
      key restore --out "$box/out"; echo "code $?"
      key verify --deep; echo "code $?"
      """)
    let codes = outcome.out.split(separator: "\n").filter { $0.hasPrefix("code") }
    try #require(codes.count >= 2, "\(outcome.text)")
    #expect(["code 0", "code 74"].contains(codes.first), "\(outcome.text)")
    #expect(!outcome.out.contains("changed"), "\(outcome.text)")
    #expect(codes.dropFirst(2) == ["code 0", "code 0", "code 0"], "\(outcome.text)")
    // The first wallet could also be restored while the disk was full.
    #expect((1...2).contains(Files.tree(box.root + "/full").count))
    #expect(Files.tree(box.root + "/out").count == 2)
    #expect(leftOvers(box).isEmpty, "\(leftOvers(box))")
    if kilobytesLeft == 0 { #expect(codes.first == "code 74") }
  }

  /// Every command that writes to the folder ends with io or is done, and what was there stays.
  @Test(arguments: [0, 4, 16])
  func `A disk that fills up during any change loses nothing`(_ kilobytesLeft: Int) async throws {
    let box = try Sandbox()
    try Files.write(Samples.mnemonic + "\n", to: box.root + "/words", mode: 0o600)
    try Files.write([UInt8](repeating: 7, count: 20_000), to: box.root + "/large")
    let outcome = try await onSmallDisk(
      box, kilobytes: 512,
      """
      key init >/dev/null 2>&1
      printf '%s\\n' '\(Samples.entry(id: "a", name: "A"))' | key wallet import - || exit 98
      before=$(files)
      fill; truncate -s -\(kilobytesLeft)K "$box/disk/ballast"
      key wallet add --name B --network bitcoin --mnemonic - <"$box/words"; echo "code $?"
      key file add "$box/large"; echo "code $?"
      key recovery-kit create --no-input --out "$box/disk/kit"; echo "code $?"
      key rotate; echo "code $?"
      key rotate --master-key; echo "code $?"
      echo "$before" | (cd "$KEYBACKUP_FOLDER" && sha256sum --quiet -c -) || echo "changed"
      find "$box/disk" -type f -size 0 | sed 's/^/empty /'
      free; rm -f "$box/disk/kit"
      key restore --out "$box/out"; echo "code $?"
      """)
    let codes = outcome.out.split(separator: "\n").filter { $0.hasPrefix("code") }
    #expect(codes.count == 6 && codes.last == "code 0", "\(outcome.text)")
    #expect(codes.allSatisfy { ["code 0", "code 74"].contains($0) }, "\(outcome.text)")
    if kilobytesLeft == 0 { #expect(codes.dropLast().allSatisfy { $0 == "code 74" }) }
    #expect(!outcome.out.contains("changed") && !outcome.out.contains("empty "), "\(outcome.text)")
    #expect(outcome.err.contains("free some space and try again"), "\(outcome.err)")
  }

  @Test func `Where the restored files go`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let outcome = try await onSmallDisk(
      box, kilobytes: 64,
      """
      export KEYBACKUP_FOLDER="$box/cloud"
      mkdir "$box/disk/out"; fill
      key restore --out "$box/disk/out"; echo "code $?"
      for file in "$box/disk/out"/*.json; do [ ! -e "$file" ] || wc -c "$file"; done
      """)
    #expect(outcome.out.contains("code 74"), "\(outcome.text)")
    // Half a wallet must not look like a whole one.
    #expect(!outcome.out.contains("wallet-"), "\(outcome.out)")
  }

  @Test func `A full standard output is an error`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let outcome = try await box.keybackup(Sandbox.derive, standardOutput: .full, expecting: 74)
    #expect(!outcome.err.isEmpty)
  }

  /// A user who reads that it failed would do it again.
  @Test func `A change that cannot be told is said to be made`() async throws {
    let box = try Sandbox()
    let made = try await box.keybackup(["init"], standardOutput: .full, expecting: 74)
    #expect(made.err.contains("was made all the same"), "\(made.err)")
    let entry = Array(Samples.entry(id: "a", name: "A").utf8)
    let added = try await box.keybackup(
      ["wallet", "import", "-"], input: entry, standardOutput: .full, expecting: 74)
    #expect(added.err.contains("were imported all the same"), "\(added.err)")
    let listed = try await box.keybackup(["wallet", "list", "--json"]).json()
    #expect(listed["wallets"].items.count == 1)
  }

  /// Temporary files that are left over.
  private func leftOvers(_ box: Sandbox) -> [String] {
    Files.tree(box.root + "/after").filter { !$0.hasSuffix(".json") && $0 != "README.txt" }
  }
}
