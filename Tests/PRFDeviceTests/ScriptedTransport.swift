import PRFDevice
import Synchronization

/// A device that answers INIT as a key does, and everything else with one given CTAPHID error.
final class ScriptedTransport: HIDTransport {
  private let error: UInt8
  private let answers = Mutex<[[UInt8]]>([])

  init(error: UInt8) { self.error = error }

  var isConnected: Bool { true }
  func open() -> Bool { true }
  func close() {}

  func read(into report: inout MutableRawSpan, milliseconds: Int32) -> Bool {
    guard let answer = answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
      return false
    }
    for (offset, byte) in answer.enumerated() {
      report.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
    }
    return true
  }

  func write(_ report: RawSpan) -> Bool {
    let bytes = unsafe report.withUnsafeBytes { unsafe Array($0) }
    // INIT carries 8 random bytes, which come back before the channel.
    let isInit = bytes[4] == 0x86
    let answer =
      isInit
      ? bytes[0..<4] + [0x86, 0, 17] + bytes[7..<15] + [0, 0, 0, 1, 2, 1, 0, 0, 0x0D]
      : bytes[0..<4] + [0xBF, 0, 1, error]
    answers.withLock { $0.append(answer + [UInt8](repeating: 0, count: 64 - answer.count)) }
    return true
  }
}
