import CSPP
import LogState

/// How long it takes to read a large backup: wallets with three versions each, of two computers, in one namespace.
func measure(wallets: Int) {
  var entries: [LogEntry] = []
  let namespace = NamespaceID(1)
  func add(_ changes: Change...) {
    let counter = UInt64(entries.count + 1)
    entries.append(
      .operation(
        OrdinaryOperation(
          in: namespace, by: WriterID(entries.count % 2 + 1), counter,
          Digest(of: Array(counter.description.utf8).span), changes)))
  }
  for wallet in 1...wallets {
    var last: ItemVersion?
    for version in 0..<3 {
      let bytes = Digest(of: Array("\(wallet).\(version)".utf8).span)
      let next = ItemVersion(
        wallet: RecordID(wallet), entry: bytes, contents: bytes, by: nil)
      if let last { add(.add(next), .end(last.name)) } else { add(.add(next)) }
      last = next
    }
  }
  let clock = ContinuousClock()
  let contents = LogContents(entries.dropLast(1000))
  var state = LogState(of: contents, current: namespace)
  let scratch = clock.measure { state = LogState(of: contents, current: namespace) }
  let grown = clock.measure { for entry in entries.suffix(1000) { state.append(entry) } }
  var findings = state.findings()
  let found = clock.measure { findings = state.findings() }
  print(
    "\(entries.count) operations, \(state.items.count) wallets: from scratch \(scratch), "
      + "1000 files appended \(grown), findings \(found) (\(findings.forks.count) forks)")
}
