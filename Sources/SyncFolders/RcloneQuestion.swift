internal import BackupFolder
internal import CommandKit
internal import Glibc

/// Asks an `rclone mount` started with `--rc` whether it has uploaded everything (rclone's
/// documentation, "Remote controlling rclone", vfs/stats).
enum RcloneQuestion {
  private struct Statistics: Decodable {
    struct Cache: Decodable {
      var uploadsInProgress: Int
      var uploadsQueued: Int
      var erroredFiles: Int?
      var outOfSpace: Bool?
    }
    var diskCache: Cache?
  }

  /// Asks the rclone that has mounted a folder.
  ///
  /// - Parameter point: the mount point.
  /// - Returns: its answer.
  static func ask(mountedAt point: String) -> SyncAnswer {
    guard let process = RcloneProcess.find(mountedAt: point) else {
      return .unknown(.rclone, "the rclone that mounts it is not this user's, or cannot be found")
    }
    guard process.isControlled else {
      return .unknown(.rclone, "the mount runs without --rc, so it cannot be asked")
    }
    guard let address = LocalAddress(process.address), address.isListenedToByUs else {
      return .unknown(.rclone, "its --rc-addr is not on this computer")
    }
    let http = LocalHTTP(address: address, seconds: SyncAnswer.patience)
    let source = MountTable.current().holding(point)?.source ?? ""
    let name = "/vfs/stats?fs=" + LocalHTTP.encoded(source)
    // Asked without a name if only one is mounted: the name in the mount table may have been set by
    // hand.
    guard
      let answer = http.json(Statistics.self, name, method: "POST")
        ?? http.json(Statistics.self, "/vfs/stats", method: "POST")
    else { return .unknown(.rclone, "it gives no answer that keybackup understands") }
    guard let cache = answer.diskCache else {
      return .unknown(.rclone, "the mount has no --vfs-cache-mode writes, so it keeps no account")
    }
    let waiting = cache.uploadsQueued + cache.uploadsInProgress
    if let errors = cache.erroredFiles, errors > 0 {
      return .notYet(.rclone, "\(SyncAnswer.count(errors, "file")) could not be uploaded")
    }
    if cache.outOfSpace == true { return .notYet(.rclone, "its cache is full") }
    if waiting > 0 { return .notYet(.rclone, "\(SyncAnswer.count(waiting, "upload")) to go") }
    return .yes(.rclone, "nothing is left to upload")
  }
}

/// A running rclone, according to its command line and environment.
struct RcloneProcess: Sendable {
  /// Whether `--rc` was given.
  private(set) var isControlled = false
  /// The address at which it then listens.
  private(set) var address = "localhost:5572"

  /// Finds this user's rclone that has mounted a folder.
  static func find(mountedAt point: String) -> RcloneProcess? {
    for name in ForeignFile.processes() {
      guard let line = ForeignFile.text("/proc/\(name)/cmdline"), line.contains("rclone")
      else { continue }
      let words = line.split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
      guard words.first?.split(separator: "/").last?.contains("rclone") == true,
        words.contains(where: { isPoint($0, point, process: name) })
      else { continue }
      let environment = ForeignFile.text("/proc/\(name)/environ") ?? ""
      return RcloneProcess(
        words, environment: environment.split(separator: "\0").map(String.init))
    }
    return nil
  }

  /// Whether a word of the command line is the mount point.
  ///
  /// It may be relative to the folder in which the process was started.
  private static func isPoint(_ word: String, _ point: String, process: String) -> Bool {
    guard !word.isEmpty, !word.hasPrefix("-") else { return false }
    if word.hasPrefix("/") { return word == point || FileCheck.absolute(word) == point }
    guard point.hasSuffix(word.split(separator: "/").last ?? "/"),
      let folder = FileCheck.absolute("/proc/\(process)/cwd")
    else { return false }
    return FileCheck.absolute(folder + "/" + word) == point
  }

  /// - Parameters:
  ///   - words: the command line.
  ///   - environment: entries of the form `NAME=value`.
  init(_ words: [String], environment: [String]) {
    for line in environment {
      if line == "RCLONE_RC=true" || line == "RCLONE_RC=1" { isControlled = true }
      if line.hasPrefix("RCLONE_RC_ADDR=") { address = String(line.dropFirst(15)) }
    }
    for (index, word) in words.enumerated() {
      if word == "--rc" || word == "--rc=true" { isControlled = true }
      if word == "--rc=false" { isControlled = false }
      if word.hasPrefix("--rc-addr=") { address = String(word.dropFirst(10)) }
      if word == "--rc-addr", index + 1 < words.count { address = words[index + 1] }
    }
  }
}

extension ForeignFile {
  /// The numbers of the processes that this user may examine.
  static func processes() -> [String] {
    names(in: "/proc", most: 100_000).filter { $0.utf8.allSatisfy { (48...57).contains($0) } }
  }
}
