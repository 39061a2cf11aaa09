import CUmockdev
import Glibc
import Synchronization
import VirtualKey

/// A pcscd of our own, which nobody else sees.
///
/// pcscd knows one socket, /run/pcscd/pcscd.comm. In its own mount namespace that is a folder of
/// ours, which libpcsclite finds through the environment.
final class PrivateService: Sendable {
  static let variable = "PCSCLITE_CSOCK_NAME"
  static let driver = "/usr/lib/pcsc/drivers/serial/libifdvpcd.so"

  /// The one folder of this process; empty if it cannot be made.
  ///
  /// libpcsclite remembers the first socket that it was told. So a second service must be at the
  /// same place.
  private static let folder: String = {
    let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    var template = Array((base + "/virtual-key-pcsc.XXXXXX").utf8CString)
    return unsafe mkdtemp(&template).map { unsafe String(cString: $0) } ?? ""
  }()

  private let folder: String
  private let process: Mutex<Running?>

  private struct Running {
    var process: pid_t
    /// The pipe whose end stops the process.
    ///
    /// The process ends with this one, as we may not send signals to one that sudo started.
    var lifeline: Int32
  }

  /// Starts the service with one configuration file of readers.
  ///
  /// - Throws: `BusError` when it ends at once.
  init(configuration: String) throws {
    folder = Self.folder
    guard !folder.isEmpty, unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else {
      throw BusError("no temporary folder")
    }
    // The program may run as another user.
    unsafe chmod(folder, 0o755)
    for name in ["readers", "run", "no-drivers"] { unsafe mkdir(folder + "/" + name, 0o755) }
    guard let file = unsafe fopen(folder + "/readers/readers.conf", "w") else {
      throw BusError("cannot write to \(folder)")
    }
    unsafe fputs(configuration, file)
    unsafe fclose(file)
    let socket = folder + "/run/pcscd.comm"
    unsafe setenv(Self.variable, socket, 1)
    process = Mutex(nil)
    for namespace in Self.namespaces {
      // One that cannot be run is skipped: sudo need not be there.
      guard let started = try? Self.start(namespace, folder) else { continue }
      let deadline = ContinuousClock.now + simulationPatience
      while .now < deadline {
        if unsafe access(socket, F_OK) == 0 {
          process.withLock { $0 = started }
          return
        }
        if waitpid(started.process, nil, WNOHANG) == started.process { break }
        usleep(5000)
      }
      close(started.lifeline)
    }
    Self.delete(folder)
    throw BusError("pcscd does not start in a namespace of its own: are pcscd and unshare here?")
  }

  /// Ends the service and deletes its folder.
  ///
  /// Safe to call twice.
  func end() {
    guard let running = process.withLock({ $0.take() }) else { return }
    close(running.lifeline)
    let deadline = ContinuousClock.now + .seconds(2)
    while waitpid(running.process, nil, WNOHANG) == 0, .now < deadline { usleep(2000) }
    Self.delete(folder)
  }

  /// The commands that make a mount namespace.
  ///
  /// As root: `unshare`; in a chroot that is no mount of its own, only with the mounts unchanged.
  /// As another user: `unshare` as root of a user namespace, and where that is forbidden, sudo.
  private static var namespaces: [[String]] {
    let root = ["unshare", "--mount"]
    return getuid() == 0
      ? [root, root + ["--propagation", "unchanged"]]
      : [root + ["--map-root-user"], ["sudo", "--non-interactive"] + root]
  }

  /// Runs pcscd until the input of the script ends, and so with us.
  ///
  /// This pcscd knows only the readers of the configuration.
  private static let script = """
    mount -t tmpfs none /run && mkdir /run/pcscd && mount --bind "$0/run" /run/pcscd &&
    export PATH=/usr/sbin:/sbin:$PATH PCSCLITE_HP_DROPDIR="$0/no-drivers" &&
    { pcscd --foreground --config "$0/readers" >"$0/log" 2>&1 & } &&
    { cat >/dev/null; kill $!; wait $!; umount /run/pcscd /run; }
    """

  private static func start(_ namespace: [String], _ folder: String) throws -> Running {
    let command = namespace + ["--", "sh", "-c", script, folder]
    var files = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&files)
    defer { unsafe posix_spawn_file_actions_destroy(&files) }
    var lifeline: [Int32] = [-1, -1]
    guard unsafe pipe(&lifeline) == 0 else { throw BusError("there is no pipe") }
    for end in lifeline { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(lifeline[0]) }
    unsafe posix_spawn_file_actions_adddup2(&files, lifeline[0], 0)
    unsafe posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0)
    unsafe posix_spawn_file_actions_addopen(&files, 2, folder + "/log", O_WRONLY | O_CREAT, 0o644)
    unsafe posix_spawn_file_actions_addclosefrom_np(&files, 3)
    var path = Array(
      "PATH=/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin".utf8CString)
    do {
      // Its own process group: Ctrl-C is for the program alone.
      let process = try unsafe path.withUnsafeMutableBufferPointer { path in
        var environment = unsafe [path.baseAddress, nil]
        return try unsafe Child.spawn(command, &environment, files: &files, ownGroup: true)
      }
      return Running(process: process, lifeline: lifeline[1])
    } catch {
      close(lifeline[1])
      throw error
    }
  }

  private static func delete(_ folder: String) {
    for name in [
      "readers/readers.conf", "run/pcscd.comm", "run/pcscd.pid", "log",
    ] { unsafe unlink(folder + "/" + name) }
    for name in ["readers", "run", "no-drivers"] { unsafe rmdir(folder + "/" + name) }
    unsafe rmdir(folder)
  }
}
