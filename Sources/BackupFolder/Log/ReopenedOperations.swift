internal import CSPP
internal import SecretMemory

/// An operation that was opened once more, with the text to which its changes refer.
final class ReopenedOperation {
  let name: Digest
  let changes: [Operation.Change]
  let text: SecretBytes

  init(_ name: Digest, _ changes: [Operation.Change], text: consuming SecretBytes) {
    self.name = name
    self.changes = changes
    self.text = text
  }
}

/// The last operations that were opened once more: one may hold the versions of thousands of files.
final class ReopenedOperations {
  /// How many stay in memory, and the size of their texts together, in bytes.
  private static let (most, mostBytes) = (4, 16 << 20)

  private var recent: [ReopenedOperation] = []
  /// How often an operation was read and decrypted.
  private(set) var count = 0

  init() {}

  /// One of the last operations, or another one.
  ///
  /// - Parameters:
  ///   - name: the operation.
  ///   - open: opens it, and leaves its text in the workspace; nil if it cannot be read.
  /// - Returns: the operation; nil if it cannot be read.
  func operation(
    _ name: Digest, open: (inout OperationLog.Workspace) -> [Operation.Change]?
  ) -> ReopenedOperation? {
    if let known = recent.firstIndex(where: { $0.name == name }) {
      recent.append(recent.remove(at: known))
      return recent.last
    }
    count += 1
    var workspace = OperationLog.Workspace()
    guard let changes = open(&workspace) else { return nil }
    let operation = ReopenedOperation(name, changes, text: workspace.takeText())
    recent.append(operation)
    while recent.count > Self.most
      || recent.count > 1 && recent.reduce(0, { $0 + $1.text.count }) > Self.mostBytes
    {
      recent.removeFirst()
    }
    return operation
  }
}
