import Glibc
import TestSupport
import Testing

/// A file server, `rclone serve webdav` on the loopback interface, and two computers that use it.
///
/// A has mounted it, B runs `rclone bisync`.
final class RcloneCloud: Sendable {
  let box: Sandbox
  /// The computer with the mount.
  let a: SyncedComputer
  /// The computer with a plain folder.
  let b: SyncedComputer
  /// The server's files.
  let files: String
  private let server: BackgroundProgram?
  private let mount: BackgroundProgram
  private var configuration: String { box.root + "/rclone.conf" }

  init() async throws {
    let box = try Sandbox()
    self.box = box
    files = box.root + "/server"
    let mountPoint = box.root + "/A/Cloud"
    b = SyncedComputer(box: box, name: "B", folder: box.root + "/B/Cloud/keybackup")
    for folder in [files, mountPoint, b.home + "/Cloud"] { try Files.makeFolder(folder) }
    let environment = [
      "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": box.root + "/A",
      "RCLONE_CONFIG": box.root + "/rclone.conf",
    ]
    var port = 0
    var started: BackgroundProgram?
    for attempt in 1... {
      port = try BackgroundProgram.freePort()
      started = try BackgroundProgram(
        [
          "rclone", "serve", "webdav", files, "--addr", "127.0.0.1:\(port)", "--dir-cache-time",
          "300ms",
        ], environment: environment, log: box.root + "/server.log")
      do {
        try await waitUntil("the server runs") {
          let answer = try await box.run(
            ["curl", "--silent", "--fail", "http://127.0.0.1:\(port)/"], key: nil)
          if answer.code == 0 { return nil }
          let output = started?.output ?? ""
          if attempt < 5, PortTaken.isSaid(output) { throw PortTaken() }
          return output
        }
        break
      } catch is PortTaken {
        started = nil
      }
    }
    server = started
    // "owncloud": the vendor whose files keep their times, as bisync needs.
    try Files.write(
      "[cloud]\ntype = webdav\nurl = http://127.0.0.1:\(port)\nvendor = owncloud\n",
      to: box.root + "/rclone.conf")
    // In its own mount namespace: no other test sees it, and it ends with the last process in it.
    let control = try BackgroundProgram.freePort()
    let user = "\(getuid())"
    let group = "\(getgid())"
    let privileged = isRoot ? [] : ["sudo", "-n", "--preserve-env"]
    let mount = try BackgroundProgram(
      privileged + [
        "unshare", "--mount", "--propagation", "unchanged", "sh", "-c",
        """
        mount --make-rprivate / 2>/dev/null
        echo $$ >"$0/mount.pid"
        exec setpriv --reuid \(user) --regid \(group) --clear-groups "$@"
        """, box.root, "rclone", "mount", "cloud:", mountPoint, "--vfs-cache-mode", "writes",
        "--vfs-write-back", "200ms", "--dir-cache-time", "300ms", "--rc", "--rc-addr",
        "127.0.0.1:\(control)", "--rc-no-auth", "--cache-dir", box.root + "/A/cache",
      ], environment: environment, log: box.root + "/mount.log",
      // It may have been started by sudo, which only root can end.
      stop: """
        p=$(cat '\(box.root)/mount.pid'); kill $p
        for try in 1 2 3 4 5 6; do kill -0 $p 2>/dev/null || break; sleep 0.5; done
        kill -0 $p 2>/dev/null && kill -9 $p
        """,
      // In a chroot whose root is no mount point, it may be in the common namespace.
      cleanUp: "fusermount3 -u -z '\(mountPoint)' 2>/dev/null; rm -f '\(box.root)/mount.pid'")
    let pidFile = box.root + "/mount.pid"
    try await waitUntil("rclone has mounted") { Files.exists(pidFile) ? nil : "no process" }
    let pid = try Files.text(pidFile).split(separator: "\n").joined()
    a = SyncedComputer(
      box: box, name: "A", folder: mountPoint + "/keybackup",
      prefix: privileged + ["nsenter", "--target", pid, "--mount", "--root", "--"]
        + (isRoot ? [] : ["setpriv", "--reuid", user, "--regid", group, "--clear-groups"]))
    self.mount = mount
    let prefix = a.prefix
    try await waitUntil("the mount is there") {
      let looked = try await box.run(
        prefix + ["grep", "-c", "fuse.rclone", "/proc/self/mountinfo"], key: nil)
      return looked.code == 0 ? nil : mount.output
    }
  }

  /// Runs bisync on B, as a timer would.
  func bisync(_ options: String...) async throws {
    let outcome = try await box.run(
      ["rclone", "bisync", b.home + "/Cloud", "cloud:"] + options, key: nil, home: b.home,
      environment: ["RCLONE_CONFIG": configuration])
    #expect(outcome.code == 0, "\(outcome.text)")
  }

  /// Waits until A has uploaded what it wrote.
  func uploaded() async throws {
    try await waitUntil("A has uploaded") {
      let (answer, says, _) = try await a.isSynchronised()
      return answer == .bool(true) ? nil : says
    }
  }

  /// The files as a computer sees them.
  func tree(_ computer: SyncedComputer) async throws -> Set<String> {
    let listed = try await box.run(
      computer.prefix + ["find", computer.folder, "-type", "f", "-printf", "%P\\n"], key: nil)
    return Set(listed.out.split(separator: "\n").map(String.init))
  }

  /// Synchronises everything in all directions.
  func converge() async throws {
    try await waitUntil("A and B are equal") {
      try await uploaded()
      try await bisync()
      let (onA, onB) = (try await tree(a), try await tree(b))
      guard onA == onB else {
        return "files differ: \(onA.symmetricDifference(onB).sorted())"
      }
      let (answer, says, _) = try await b.isSynchronised()
      return answer == .bool(true) ? nil : says
    }
  }
}
