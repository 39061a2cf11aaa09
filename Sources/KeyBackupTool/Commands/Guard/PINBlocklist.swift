internal import SecretMemory

/// Reasons why a PIN or password falls to the first guesses.
///
/// The guesses of somebody who has the folder are few, so the common PINs are the first to go.
enum PINBlocklist {
  /// The fewest characters of a PIN, and of a password.
  static let shortest = (pin: 6, password: 10)

  /// The reason why a PIN is not accepted, as a sentence about it; nil: it is.
  ///
  /// - Parameters:
  ///   - pin: UTF-8.
  ///   - isPassword: whether it is a password.
  /// - Returns: the reason.
  static func objection(to pin: borrowing SecretBytes, isPassword: Bool) -> String? {
    let least = isPassword ? shortest.password : shortest.pin
    guard pin.count >= least else { return "it has fewer than \(least) characters" }
    return pin.withBytes { bytes in
      let all = (0..<bytes.byteCount).map {
        unsafe bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self)
      }
      return objection(all)
    }
  }

  /// The reason for bytes that are wiped by nobody: a blocked PIN is worth nothing, and another is
  /// compared in this function only.
  private static func objection(_ bytes: [UInt8]) -> String? {
    if isRepeated(bytes) { return "it repeats itself" }
    if isSequence(bytes) { return "it is a sequence" }
    let digits = bytes.compactMap { (0x30...0x39).contains($0) ? Int($0 - 0x30) : nil }
    if digits.count == bytes.count {
      if isDate(digits) { return "it can be a date" }
      if isPattern(bytes) { return "it is a pattern on the keypad" }
    }
    let text = String(decoding: bytes, as: UTF8.self).lowercased()
    return common.contains(text) ? "it is one of the most common ones" : nil
  }

  /// Whether it consists of one piece, of at most half its length, again and again.
  private static func isRepeated(_ bytes: [UInt8]) -> Bool {
    (1...max(1, bytes.count / 2)).contains { period in
      bytes.indices.allSatisfy { $0 < period || bytes[$0] == bytes[$0 - period] }
    } || Set(bytes).count <= 2 || isDoubled(bytes)
  }

  /// Whether each character stands twice, or the second half mirrors the first: 112233, 123321.
  private static func isDoubled(_ bytes: [UInt8]) -> Bool {
    let pairs = stride(from: 0, to: bytes.count - 1, by: 2)
      .allSatisfy { bytes[$0] == bytes[$0 + 1] }
    return (pairs && bytes.count.isMultiple(of: 2)) || bytes == bytes.reversed()
  }

  /// Whether each character follows the one before by the same step: 123456, 975310, abcdef.
  private static func isSequence(_ bytes: [UInt8]) -> Bool {
    let steps = zip(bytes, bytes.dropFirst()).map { (Int($1) - Int($0) + 10) % 10 }
    return Set(steps).count == 1
  }

  /// Whether the digits are a day, a month and a year in any usual order.
  private static func isDate(_ digits: [Int]) -> Bool {
    func number(_ range: Range<Int>) -> Int { digits[range].reduce(0) { $0 * 10 + $1 } }
    func isDay(_ first: Int, _ second: Int) -> Bool {
      (1...31).contains(first) && (1...12).contains(second)
        || (1...12).contains(first) && (1...31).contains(second)
    }
    let years = 1900...2099
    switch digits.count {
    case 6:
      return isDay(number(0..<2), number(2..<4)) || isDay(number(2..<4), number(4..<6))
        || years.contains(number(0..<4)) && (1...12).contains(number(4..<6))
        || years.contains(number(2..<6)) && (1...12).contains(number(0..<2))
    case 8:
      return years.contains(number(4..<8)) && isDay(number(0..<2), number(2..<4))
        || years.contains(number(0..<4)) && isDay(number(4..<6), number(6..<8))
    default: return false
    }
  }

  /// Columns and diagonals of the keypad.
  private static func isPattern(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    let lines = ["147", "258", "369", "159", "357", "123", "456", "789"]
    let parts = stride(from: 0, to: bytes.count, by: 3).map {
      String(text.utf8.dropFirst($0).prefix(3)) ?? ""
    }
    return bytes.count.isMultiple(of: 3)
      && parts.allSatisfy { part in
        lines.contains(part) || lines.contains(String(part.reversed()))
      }
  }

  private static let common: Set<String> = [
    "121314", "131415", "142536", "101112", "102030", "123654", "123456a", "a123456", "520520",
    "1314520", "5201314", "696969", "420420", "112358", "314159", "271828", "246810", "135790",
    "qwerty", "qwertz", "azerty", "qwerty123", "qwertyuiop", "1q2w3e4r5t", "password", "password1",
    "password12", "password123", "passw0rd123", "iloveyou", "sunshine123", "princess123",
    "letmein123", "welcome123", "bitcoin123", "monkey123", "dragon123", "football123",
    "baseball123", "superman123", "administrator", "changeme123", "satoshi21m",
  ]
}
