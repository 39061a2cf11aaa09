/// Cuts a stream of bytes into lines, in bounded memory.
struct LineSplitter {
  private var line: [UInt8] = []
  private var isSkipping = false

  /// Takes the next bytes of the stream.
  ///
  /// - Parameters:
  ///   - bytes: the bytes.
  ///   - body: called for each line without its line end; nil stands for one that is too long.
  mutating func append(_ bytes: ArraySlice<UInt8>, _ body: ([UInt8]?) -> Void) {
    var rest = bytes
    while let end = rest.firstIndex(of: 0x0A) {
      keep(rest[..<end], body)
      if !isSkipping { body(line) }
      line.removeAll(keepingCapacity: true)
      isSkipping = false
      rest = rest[(end + 1)...]
    }
    keep(rest, body)
  }

  private mutating func keep(_ part: ArraySlice<UInt8>, _ body: ([UInt8]?) -> Void) {
    guard !isSkipping else { return }
    guard line.count + part.count <= AskLine.maximumSize else {
      isSkipping = true
      line.removeAll()
      return body(nil)
    }
    line += part
  }
}
