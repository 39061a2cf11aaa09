import CPlainMemory
import Glibc

/// The target that the environment names, as a fuzzer has only one.
enum ChosenTarget {
  private static let target: FormatTarget = {
    guard plain_memory_is_used() == 1 else { fatalError("guarded memory is in use") }
    let name = unsafe getenv("FORMAT").map { unsafe String(cString: $0) } ?? ""
    guard let target = FormatTarget(rawValue: name) else { fatalError("FORMAT=\(name)?") }
    return target
  }()

  static func run(_ bytes: [UInt8]) { _ = target.run(bytes) }
}
