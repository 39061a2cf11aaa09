import DeviceSuite
import Foundation
import PRFDevice

/// The report that a person can send in: the model and its results.
///
/// It holds no credential ID, no PIN, no PRF output and no serial number.
struct HardwareReport {
  let descriptor: AuthenticatorDescriptor
  let info: AuthenticatorInfo
  var outcomes: [Outcome] = []
  /// Behaviours that were left out, and why.
  var leftOut: [(Behaviour, String)] = []
  var retries: (before: Int, after: Int?) = (0, nil)
  /// The state in which the key was left, as far as it is known.
  var ending = ""
  /// Whether the key is as it was found.
  var isRestored = false

  /// The text, a line each.
  var text: String {
    let identifiers = [descriptor.vendorID, descriptor.productID].map { number in
      let digits = String(number, radix: 16)
      return String(repeating: "0", count: 4 - digits.count) + digits
    }.joined(separator: ":")
    let options = info.options.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    let after = retries.after.map { "\($0)" } ?? "unknown"
    let room = info.remainingDiscoverableCredentials.map { "\($0)" } ?? "not told"
    let protocols = info.pinProtocols.map { "\($0)" }.joined(separator: ", ")
    let fields: [(String, String)] = [
      ("key", "\(descriptor.manufacturer) \(descriptor.product)"),
      ("connection", "\(descriptor.transport.rawValue) \(identifiers)"),
      ("model (AAGUID)", "\(info.aaguid)"),
      ("firmware", "\(info.firmwareVersion)"),
      ("versions", info.versions.joined(separator: ", ")),
      ("extensions", info.extensions.joined(separator: ", ")),
      ("options", options.joined(separator: ", ")),
      ("PIN protocols", protocols),
      ("least PIN length", "\(info.minimumPINLength)"),
      ("transports", info.transports.joined(separator: ", ")),
      ("room for", room),
      ("PIN tries", "\(retries.before), afterwards \(after)"),
      ("libfido2", Self.library("libfido2")),
      ("system", Self.system),
    ]
    var lines = ["keybackup hardware report"]
    let width = (fields.map { $0.0.count }.max() ?? 0) + 2
    for (name, value) in fields {
      lines.append(name.padding(toLength: width, withPad: " ", startingAt: 0) + value)
    }
    lines.append("")
    for outcome in outcomes {
      let title = Behaviour.named(outcome.behaviour)?.title ?? outcome.behaviour
      lines.append((outcome.passed ? "passed      " : "NOT PASSED  ") + title)
      if !outcome.passed { lines.append("            " + outcome.detail) }
    }
    for (behaviour, reason) in leftOut {
      lines += ["left out    " + behaviour.title, "            " + reason]
    }
    let passed = outcomes.count(where: \.passed)
    lines += ["", "\(passed) of \(outcomes.count) passed. \(ending)"]
    return lines.joined(separator: "\n")
  }

  /// The version of a shared library in use, from its file's name, as libfido2 has no call for it.
  private static func library(_ name: String) -> String {
    // Read to the end: a file in /proc has no size and comes in pieces.
    let file = FileHandle(forReadingAtPath: "/proc/self/maps")
    let maps = String(decoding: (try? file?.readToEnd()) ?? Data(), as: UTF8.self)
    for line in maps.split(separator: "\n") {
      guard let slash = line.firstIndex(of: "/") else { continue }
      let file = URL(filePath: String(line[slash...])).lastPathComponent
      if file.hasPrefix(name + ".so.") { return String(file.dropFirst(name.count + 4)) }
    }
    return "unknown"
  }

  private static var system: String {
    let release = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)) ?? ""
    let name = release.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
    let kernel = (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)) ?? ""
    return (name.map { $0.dropFirst(12).filter { $0 != "\"" } } ?? "Linux") + ", Linux "
      + kernel.trimmingCharacters(in: .newlines)
  }
}
