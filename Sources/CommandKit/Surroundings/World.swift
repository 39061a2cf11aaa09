// This folder is for the process's surroundings: variables, clock, streams, devices, paths. Every
// later room may use it. The commands' use of the values is not known here.

package import CommandSupport
internal import Glibc

/// Everything that a command receives from outside, in one value, so that a command can run with a
/// different one (docs/decisions/0040-world.md).
package struct World: Sendable {
  /// The environment variables.
  package var environment: [String: String]
  /// Returns the seconds since 1970.
  package var now: @Sendable () -> Int64
  /// The time that limits and pauses are measured with.
  package var time: PassingTime
  /// The name of this computer.
  package var hostName: String
  /// The standard streams and the terminal.
  package var streams: Streams
  /// The security keys in reach.
  package var devices: Devices
  /// The variables that are not UTF-8, for programs that get all.
  package var otherVariables: [[CChar]] = []
  /// This run: its arguments, and the values that it gathers.
  package var run = Run()

  /// The process's own surroundings.
  ///
  /// - Parameters:
  ///   - variables: its environment.
  ///   - arguments: its arguments, without the program's name.
  /// - Returns: the surroundings.
  package static func process(_ variables: ProcessVariables, _ arguments: [String]) -> World {
    World(
      environment: variables.values, now: { Int64(Glibc.time(nil)) }, time: .system(),
      hostName: hostNameOfSystem(), streams: .process(), devices: .system(),
      otherVariables: variables.others, run: Run(arguments))
  }

  private static func hostNameOfSystem() -> String {
    var name = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The value of a variable, nil when absent or empty.
  package func variable(_ name: String) -> String? {
    guard let value = environment[name], !value.isEmpty else { return nil }
    return value
  }

  // MARK: Places (XDG Base Directory Specification)

  /// The folder of a small configuration file; nil without a home.
  package var configurationFolder: String? { place("XDG_CONFIG_HOME", ".config") }

  /// The folder in which seen log files are remembered; nil without a home.
  package var stateFolder: String? { place("XDG_STATE_HOME", ".local/state") }

  /// The folder of what this computer remembers about guards; nil without a home.
  package var guardFolder: String? { stateFolder.map { $0 + "/guards" } }

  private func place(_ name: String, _ fallback: String) -> String? {
    userFolder(name, fallback).map { $0 + "/keybackup" }
  }

  /// The folder that a variable names, otherwise a fallback in the home; nil without a home.
  package func userFolder(_ name: String, _ fallback: String) -> String? {
    // The specification makes a relative path in these variables invalid, and it is ignored.
    if let path = variable(name), path.hasPrefix("/") { return path }
    guard let home = variable("HOME"), home.hasPrefix("/") else { return nil }
    return home + "/" + fallback
  }
}
