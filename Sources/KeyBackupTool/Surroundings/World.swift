// This folder is for what the process was given: environment, clock, descriptors, paths.
// Every later room may ask it. What a command does with the answer is not known here.

internal import Glibc

/// Everything the outside gives a command, in one value, so that a command
/// can run against another one.
struct World: Sendable {
  /// Environment variables.
  var environment: [String: String]
  /// Seconds since 1970.
  var now: @Sendable () -> Int64

  /// The process's own surroundings.
  static func process() -> World {
    World(
      environment: environmentVariables(),
      now: { Int64(time(nil)) })
  }

  /// The value of a variable, nil when absent or empty.
  func variable(_ name: String) -> String? {
    guard let value = environment[name], !value.isEmpty else { return nil }
    return value
  }

  private static func environmentVariables() -> [String: String] {
    var variables: [String: String] = [:]
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
      let line = unsafe String(cString: text)
      if let split = line.firstIndex(of: "=") {
        variables[String(line[..<split])] = String(line[line.index(after: split)...])
      }
      unsafe entry += 1
    }
    return variables
  }

  // MARK: Places (XDG Base Directory Specification)

  /// Where a small configuration file is kept; nil without a home.
  var configurationFolder: String? { place("XDG_CONFIG_HOME", ".config") }

  /// Where it is remembered which log files were seen; nil without a home.
  var stateFolder: String? { place("XDG_STATE_HOME", ".local/state") }

  private func place(_ name: String, _ fallback: String) -> String? {
    userFolder(name, fallback).map { $0 + "/keybackup" }
  }

  /// The folder that a variable names, else a fallback in the home; nil without
  /// a home.
  func userFolder(_ name: String, _ fallback: String) -> String? {
    // A relative path in these variables is invalid and ignored, as the
    // specification says.
    if let path = variable(name), path.hasPrefix("/") { return path }
    guard let home = variable("HOME"), home.hasPrefix("/") else { return nil }
    return home + "/" + fallback
  }
}
