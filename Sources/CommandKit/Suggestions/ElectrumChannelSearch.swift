/// Finds Lightning channels in the JSON text of an Electrum wallet, byte by byte.
///
/// Electrum 4.5 and later appends changes to the file, `,` and an object with `op` and `path` for
/// each. A change of a channel counts as an open channel, because it can be any change.
struct ElectrumChannelSearch {
  /// Whether there is a channel that is not closed.
  private(set) var foundOpenChannel = false

  /// How many objects and lists are open.
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  /// The beginning of the string that is being read, or was read last.
  ///
  /// Only as long as the words that are looked for, so that no secret is kept.
  private var word: [UInt8] = []
  private var isTooLong = false
  /// Whether the last string was a member's name; then the next one is its value.
  private var isValue = false
  private var topName = Name.other
  private var innerName = Name.other
  private var isClosed = false
  /// Whether the wallet itself is behind us, and changes follow.
  private var isBehindWallet = false

  private enum Name {
    case channels
    case state
    case path
    case other
  }

  /// Takes the next byte.
  mutating func take(_ byte: UInt8) {
    if isInString {
      takeInString(byte)
      return
    }
    switch byte {
    case UInt8(ascii: "\""):
      isInString = true
      isTooLong = false
      word.removeAll(keepingCapacity: true)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      depth += 1
      isValue = false
      // Within the object of all channels, at depth 2, each is an object at depth 3.
      if depth == 3 { isClosed = false }
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      if depth == 3, topName == .channels, !isClosed, !isBehindWallet { foundOpenChannel = true }
      depth = max(0, depth - 1)
      isValue = false
      if depth == 0 { isBehindWallet = true }
      if depth == 1 { topName = .other }
    case UInt8(ascii: ":"):
      isValue = true
      if depth == 1 { topName = name }
      if depth == 3 { innerName = name }
    case UInt8(ascii: ","):
      isValue = false
    default:
      break
    }
  }

  private mutating func takeInString(_ byte: UInt8) {
    if isEscaped {
      isEscaped = false
      isTooLong = true
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInString = false
      judge()
    } else if word.count < Self.pathOfChannels.count, !isTooLong {
      word.append(byte)
    } else {
      isTooLong = true
    }
  }

  /// The end of a string: it may be a channel's state, or the place of a change.
  private mutating func judge() {
    guard isValue else { return }
    if depth == 3, topName == .channels, innerName == .state, !isTooLong {
      isClosed = word.elementsEqual("CLOSED".utf8) || word.elementsEqual("REDEEMED".utf8)
    }
    if depth == 1, isBehindWallet, topName == .path, word.elementsEqual(Self.pathOfChannels) {
      foundOpenChannel = true
    }
  }

  private var name: Name {
    guard !isTooLong else { return .other }
    if word.elementsEqual("channels".utf8) { return .channels }
    if word.elementsEqual("state".utf8) { return .state }
    return word.elementsEqual("path".utf8) ? .path : .other
  }

  private static let pathOfChannels = Array("/channels/".utf8)
}
