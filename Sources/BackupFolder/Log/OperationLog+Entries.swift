internal import CSPP
internal import SecretMemory

extension OperationLog {
  /// Lends the bytes of logged `put`s, reading each operation once.
  ///
  /// - Parameters:
  ///   - places: indices in ``LogIndex/versions``.
  ///   - namespace: the namespace of the logs.
  ///   - masterKey: the namespace's key.
  ///   - body: receives an index and the entry's bytes.
  /// - Returns: the indices whose operation could not be read again.
  /// - Throws: only the errors of `body`.
  func forEachPut<E: Error>(
    _ places: [Int], in namespace: Namespace, masterKey: borrowing MasterKey,
    _ body: (Int, borrowing SecretBytes) throws(E) -> Void
  ) throws(E) -> [Int] {
    var workspace = Workspace()
    var files = (try? namespace.logFolder()).flatMap { $0 }.map { LogFiles($0) }
    // The versions of one operation are consecutive.
    let sorted = places.sorted {
      (index.versions.node($0), $0) < (index.versions.node($1), $1)
    }
    var lost: [Int] = []
    var current: (node: Int32, operation: Operation?)?
    for place in sorted {
      let version = index.versions[place]
      if current?.node != version.node {
        current = (
          version.node,
          reopen(
            Int(version.node), in: &files, namespace, masterKey: masterKey, workspace: &workspace)
        )
      }
      guard let changes = current?.operation?.changes, Int(version.change) < changes.count,
        case .put(_, let payload) = changes[Int(version.change)],
        (try? Operation.decode(
          payload, in: workspace.operation.bytes, into: &workspace.entry)) != nil
      else {
        lost.append(place)
        continue
      }
      try body(place, workspace.entry)
    }
    return lost
  }

  func reopen(
    _ node: Int, in files: inout LogFiles?, _ namespace: Namespace,
    masterKey: borrowing MasterKey, workspace: inout Workspace
  ) -> Operation? {
    let reference = index.nodes.references[index.nodes.reference(node)]
    let location = elsewhere[reference.digest] ?? .operation(reference.name)
    let limit = namespace.settings.limits.operation
    guard (try? files?.read(location, into: &workspace.operation, limit: limit)) != nil else {
      return nil
    }
    let file = workspace.operation.withBytes {
      try? OperationFile(parsing: $0, at: namespace.id, limit: limit)
    }
    // The file may have been replaced since it was first read.
    guard let file, file.digest == reference.digest else { return nil }
    return try? file.open(inPlace: &workspace.operation.bytes, masterKey: masterKey)
  }
}
