import FoundationEssentials
import Glibc

/// Short functions for the files of a test.
enum Files {
  static func read(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path)))
  }

  static func text(_ path: String) throws -> String {
    String(decoding: try read(path), as: UTF8.self)
  }

  /// A file that is to be run is written by a program of its own.
  ///
  /// Other tests start programs at the same time, and until each of them has begun it holds what
  /// this process has open. Linux does not run a file that anybody may write to ("Text file
  /// busy").
  static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o644) throws {
    guard mode & 0o111 == 0 else { return try install(bytes, at: path, mode: mode) }
    try Data(bytes).write(to: URL(filePath: path))
    guard unsafe chmod(path, mode) == 0 else { throw SystemFailure(path) }
  }

  private static func install(_ bytes: [UInt8], at path: String, mode: mode_t) throws {
    let contents = path + ".contents"
    try write(bytes, to: contents)
    defer { try? remove(contents) }
    let arguments = ["install", "-m", String(mode, radix: 8), "--", contents, path]
    var pointers = unsafe arguments.map { unsafe strdup($0) } + [nil]
    defer { for unsafe pointer in unsafe pointers { unsafe free(pointer) } }
    var child = pid_t()
    var status: Int32 = -1
    guard
      unsafe posix_spawn(&child, "/usr/bin/install", nil, nil, &pointers, environ) == 0,
      unsafe waitpid(child, &status, 0) == child, status == 0
    else { throw SystemFailure(path) }
  }

  static func write(_ text: String, to path: String, mode: mode_t = 0o644) throws {
    try write(Array(text.utf8), to: path, mode: mode)
  }

  static func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  static func copy(_ from: String, to: String) throws {
    try FileManager.default.copyItem(atPath: from, toPath: to)
  }

  static func move(_ from: String, to: String) throws {
    guard unsafe rename(from, to) == 0 else { throw SystemFailure(to) }
  }

  static func remove(_ path: String) throws {
    try FileManager.default.removeItem(atPath: path)
  }

  static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

  /// Permission bits; -1 if there is no such file.
  static func mode(_ path: String) -> Int {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return -1 }
    return Int(status.st_mode & 0o7777)
  }

  /// Every file below, relative to `path`, sorted.
  static func tree(_ path: String) -> [String] {
    let all = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
    return all.filter { name in
      var status = stat()
      return unsafe lstat(path + "/" + name, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
    }.sorted()
  }

  /// Names and contents of every file below.
  static func contents(_ path: String) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in tree(path) { files[name] = try read(path + "/" + name) }
    return files
  }
}

extension Files {
  /// Makes a file longer without using space on the disk.
  static func extend(_ path: String, to size: Int) throws {
    guard unsafe truncate(path, size) == 0 else { throw SystemFailure(path) }
  }

  static func link(_ path: String, to target: String) throws {
    guard unsafe symlink(target, path) == 0 else { throw SystemFailure(path) }
  }

  static func setMode(_ path: String, _ mode: mode_t) throws {
    guard unsafe chmod(path, mode) == 0 else { throw SystemFailure(path) }
  }
}

/// Whether file modes do not apply to this process.
let isRoot = geteuid() == 0
