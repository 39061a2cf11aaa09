import Testing

/// Libraries that keybackup does without until one of these formats is read.
@Suite struct ForeignLinkTests {
  @Test func `No library of another program's format is linked or opened at the start`()
    async throws
  {
    let box = try Sandbox()
    for program in ["", "-foreign", "-nostr"] {
      let linked = try await box.run(
        ["readelf", "--dynamic", Build.keybackup + program], key: nil)
      #expect(linked.code == 0 && linked.out.contains("(NEEDED)"), "\(linked.text)")
      for name in ["libzip", "libarchive", "libcbor", "libsqlite3", "libargon2", "libz.so"] {
        #expect(!linked.out.contains("[\(name)"), "\(name)")
      }
    }
    let log = box.root + "/opened"
    for command in [["--version"], ["foreign", "celo", "--help"]] {
      let started = try await box.run(
        Tracing.wrapper(log: log, ["-e", "trace=openat"]) + [Build.keybackup] + command, key: nil)
      #expect(started.code == 0, "\(started.text)")
      let opened = try Files.text(log)
      #expect(opened.contains("libc.so"), "\(opened)")
      // libfido2 itself needs libcbor and zlib.
      for name in ["libzip", "libarchive", "libsqlite3", "libargon2"] {
        #expect(!opened.contains(name), "\(command): \(name)")
      }
    }
  }
}
