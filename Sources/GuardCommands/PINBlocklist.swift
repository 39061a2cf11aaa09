internal import CommandKit
internal import SecretMemory

/// Reasons why a PIN or password falls to the first guesses.
///
/// The guesses of somebody who has the folder are few, so the common PINs are the first to go.
enum PINBlocklist {
  /// The fewest characters of a PIN, and of a password.
  static let shortest = (pin: 6, password: 10)

  /// The reason why a PIN cannot be typed alike everywhere, as a sentence about it; nil: it can.
  ///
  /// - Parameter pin: UTF-8.
  /// - Returns: the reason.
  static func obstacle(to pin: borrowing SecretBytes) -> String? {
    if let flaw = pin.pinFlaw() { return "it \(flaw.words)" }
    return pin.hasSpaceAtEdge ? "it begins or ends with a space" : nil
  }

  /// The reason why a PIN is not accepted, as a sentence about it; nil: it is.
  ///
  /// - Parameters:
  ///   - pin: UTF-8.
  ///   - isPassword: whether it is a password.
  /// - Returns: the reason.
  static func objection(to pin: borrowing SecretBytes, isPassword: Bool) -> String? {
    let least = isPassword ? shortest.password : shortest.pin
    guard pin.count >= least else { return "it has fewer than \(least) characters" }
    return pin.withBytes { objection($0) }
  }

  /// The reason for bytes, which are compared where they are: a copy could not be wiped.
  private static func objection(_ bytes: RawSpan) -> String? {
    if bytes.isRepeated { return "it repeats itself" }
    if bytes.isSequence { return "it is a sequence" }
    if bytes.areDigits {
      if bytes.isNearlySequence { return "it is nearly a sequence" }
      if bytes.isDate { return "it can be a date" }
      if bytes.isPattern { return "it is a pattern on the keypad" }
    }
    for word in common where bytes.spells(word) { return "it is one of the most common ones" }
    return nil
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

extension RawSpan {
  fileprivate func character(_ place: Int) -> UInt8 {
    unsafe unsafeLoad(fromByteOffset: place, as: UInt8.self)
  }

  /// Whether these bytes lie at a place.
  private func holds(_ text: [UInt8], at place: Int) -> Bool {
    guard text.count <= byteCount - place else { return false }
    return text.indices.allSatisfy { character(place + $0) == text[$0] }
  }

  /// Whether it is a word of lower-case ASCII, in letters of any case.
  fileprivate func spells(_ word: String) -> Bool {
    let text = Array(word.utf8)
    guard text.count == byteCount else { return false }
    for place in text.indices {
      let own = character(place)
      guard ((0x41...0x5A).contains(own) ? own | 0x20 : own) == text[place] else { return false }
    }
    return true
  }

  fileprivate var areDigits: Bool {
    for place in 0..<byteCount where !(0x30...0x39).contains(character(place)) { return false }
    return true
  }

  /// Whether it consists of one piece, of at most half its length, again and again.
  fileprivate var isRepeated: Bool {
    for period in 1...max(1, byteCount / 2) where hasPeriod(period) { return true }
    return hasTwoCharacters || isPaired || isMirrored
  }

  private func hasPeriod(_ period: Int) -> Bool {
    for place in 0..<byteCount where place >= period {
      if character(place) != character(place - period) { return false }
    }
    return true
  }

  /// Whether there are one or two different characters in it.
  private var hasTwoCharacters: Bool {
    var other: UInt8?
    for place in 0..<byteCount where character(place) != character(0) {
      if let other, other != character(place) { return false }
      other = character(place)
    }
    return true
  }

  /// Whether each character stands twice: 112233.
  private var isPaired: Bool {
    for place in stride(from: 0, to: byteCount - 1, by: 2)
    where character(place) != character(place + 1) {
      return false
    }
    return byteCount.isMultiple(of: 2)
  }

  /// Whether the second half mirrors the first: 123321.
  private var isMirrored: Bool {
    for place in 0..<byteCount where character(place) != character(byteCount - 1 - place) {
      return false
    }
    return true
  }

  /// Whether each character follows the one before by the same step: 123456, 975310, abcdef.
  fileprivate var isSequence: Bool {
    func step(_ place: Int) -> Int {
      (Int(character(place + 1)) - Int(character(place)) + 10) % 10
    }
    for place in 0..<byteCount - 1 where step(place) != step(0) { return false }
    return true
  }

  /// Whether digits count up or down with one exception: 123457, 223456.
  fileprivate var isNearlySequence: Bool {
    var (others, upwards, downwards) = (0, 0, 0)
    for place in 0..<byteCount - 1 {
      switch (Int(character(place + 1)) - Int(character(place)) + 10) % 10 {
      case 1: upwards += 1
      case 9: downwards += 1
      default: others += 1
      }
    }
    return others + min(upwards, downwards) <= 1
  }

  /// Whether the digits are a day, a month and a year in any usual order.
  fileprivate var isDate: Bool {
    func number(_ range: Range<Int>) -> Int {
      var number = 0
      for place in range { number = number * 10 + Int(character(place)) - 0x30 }
      return number
    }
    func isDay(_ first: Int, _ second: Int) -> Bool {
      (1...31).contains(first) && (1...12).contains(second)
        || (1...12).contains(first) && (1...31).contains(second)
    }
    let years = 1900...2099
    switch byteCount {
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

  /// Whether it is columns, rows and diagonals of the keypad.
  fileprivate var isPattern: Bool {
    let lines = ["147", "258", "369", "159", "357", "123", "456", "789"].map { Array($0.utf8) }
    for place in stride(from: 0, to: byteCount, by: 3) {
      let isLine = lines.contains { line in
        holds(line, at: place) || holds(line.reversed(), at: place)
      }
      if !isLine { return false }
    }
    return byteCount.isMultiple(of: 3)
  }
}
