/// Parses a descriptor from left to right, without copying any of it out of its memory.
struct DescriptorParser {
  /// The properties found during parsing.
  struct Facts {
    var function = ""
    var containsPrivateKey = false
    /// Whether one of the keys is only public.
    var containsPublicKey = false
    var network: KeyNetwork?
    /// The number of alternatives in every multipath step; 0 before the first.
    var branchCount = 0
  }

  /// The deepest nesting, so that no input can exhaust the stack.
  static let depthLimit = 64

  var facts = Facts()
  var position = 0
  private var depth = 0

  /// Checks a whole descriptor without its checksum.
  static func check(_ text: RawSpan) throws(WalletFormatError) -> Facts {
    var parser = DescriptorParser()
    try parser.expression(text, in: .top)
    guard parser.position == text.byteCount else { throw parser.syntaxError }
    return parser.facts
  }

  var syntaxError: WalletFormatError { .descriptorSyntax(position: position + 1) }

  func peek(_ text: RawSpan) -> UInt8? {
    position < text.byteCount ? text.byte(position) : nil
  }

  /// Advances if `character` is next.
  mutating func skip(_ character: Unicode.Scalar, _ text: RawSpan) -> Bool {
    guard let next = peek(text), UInt32(next) == character.value else { return false }
    position += 1
    return true
  }

  mutating func expect(
    _ character: Unicode.Scalar, _ text: RawSpan
  ) throws(WalletFormatError) {
    guard skip(character, text) else { throw syntaxError }
  }

  /// Advances over the bytes that `isMember` accepts.
  mutating func take(_ text: RawSpan, while isMember: (UInt8) -> Bool) -> Range<Int> {
    let start = position
    while let byte = peek(text), isMember(byte) { position += 1 }
    return start..<position
  }

  /// Parses a decimal number below 2^31.
  mutating func number(_ text: RawSpan) throws(WalletFormatError) -> UInt32 {
    let start = position
    let digits = take(text, while: ASCII.isDigit)
    let error = WalletFormatError.descriptorSyntax(position: start + 1)
    guard (1...10).contains(digits.count) else { throw error }
    var number: UInt64 = 0
    for offset in digits { number = number * 10 + UInt64(text.byte(offset) - 0x30) }
    guard number < 0x8000_0000 else { throw error }
    return UInt32(number)
  }

  private mutating func expression(
    _ text: RawSpan, in context: DescriptorContext
  ) throws(WalletFormatError) {
    guard depth < Self.depthLimit else { throw .descriptorDepth(limit: Self.depthLimit) }
    depth += 1
    defer { depth -= 1 }
    let allowsMiniscript = context == .witnessScriptHash || context == .tapLeaf
    if allowsMiniscript { try wrappers(text) }
    let start = position
    let name = take(text) { ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == 0x5F }
    let nameSpan = text.extracting(name)
    if allowsMiniscript, nameSpan.equals("0") || nameSpan.equals("1") { return }
    guard !name.isEmpty, peek(text) == 0x28 else { throw .descriptorSyntax(position: start + 1) }
    let found = DescriptorFunction.allCases.first { function in
      nameSpan.equals(function.rawValue)
    }
    guard let function = found, function.isAllowed(in: context) else {
      throw .descriptorFunction(position: start + 1)
    }
    if context == .top { facts.function = function.rawValue }
    position += 1
    try arguments(text, of: function, in: context)
    try expect(")", text)
  }

  /// Parses miniscript's wrappers: letters before a colon.
  private mutating func wrappers(_ text: RawSpan) throws(WalletFormatError) {
    let start = position
    let letters = take(text, while: ASCII.isLetter)
    guard skip(":", text) else {
      position = start
      return
    }
    guard !letters.isEmpty else { throw .descriptorSyntax(position: start + 1) }
    for offset in letters where !"asctdvjnlu".utf8.contains(text.byte(offset)) {
      throw .descriptorFunction(position: offset + 1)
    }
  }

  private mutating func arguments(
    _ text: RawSpan, of function: DescriptorFunction, in context: DescriptorContext
  ) throws(WalletFormatError) {
    let kinds = function.keyKinds(in: context)
    switch function.arguments {
    case .key:
      try key(text, kinds: kinds)
    case .script(let inner):
      try expression(text, in: inner)
    case .taproot:
      try key(text, kinds: kinds)
      if skip(",", text) { try tree(text) }
    case .address:
      let address = take(text) { ASCII.isLetter($0) || ASCII.isDigit($0) }
      guard !address.isEmpty else { throw syntaxError }
    case .hex:
      let digits = take(text, while: ASCII.isHexDigit)
      guard !digits.isEmpty, digits.count.isMultiple(of: 2) else { throw syntaxError }
    case .multisig(let limit):
      try multisig(text, kinds: kinds, limit: limit)
    case .lock:
      let start = position
      guard try number(text) > 0 else { throw .descriptorSyntax(position: start + 1) }
    case .hash(let digits):
      guard take(text, while: ASCII.isHexDigit).count == digits else { throw syntaxError }
    case .expressions(let count):
      for index in 0..<count {
        if index > 0 { try expect(",", text) }
        try expression(text, in: context)
      }
    case .threshold:
      try threshold(text, in: context)
    }
  }

  private mutating func multisig(
    _ text: RawSpan, kinds: DescriptorKeyKinds, limit: Int
  ) throws(WalletFormatError) {
    let start = position
    let needed = try number(text)
    var keys = 0
    while skip(",", text) {
      try key(text, kinds: kinds)
      keys += 1
    }
    guard needed >= 1, needed <= keys, keys <= limit else {
      throw .descriptorSyntax(position: start + 1)
    }
  }

  private mutating func threshold(
    _ text: RawSpan, in context: DescriptorContext
  ) throws(WalletFormatError) {
    let start = position
    let needed = try number(text)
    var count = 0
    while skip(",", text) {
      try expression(text, in: context)
      count += 1
    }
    guard needed >= 1, needed <= count else { throw .descriptorSyntax(position: start + 1) }
  }

  /// Parses BIP-386's TREE: a leaf, or two trees in braces.
  private mutating func tree(_ text: RawSpan) throws(WalletFormatError) {
    guard skip("{", text) else {
      try expression(text, in: .tapLeaf)
      return
    }
    // Taproot itself ends at depth 128; this program has its own limit.
    guard depth < Self.depthLimit else { throw .descriptorDepth(limit: Self.depthLimit) }
    depth += 1
    defer { depth -= 1 }
    try tree(text)
    try expect(",", text)
    try tree(text)
    try expect("}", text)
  }
}
