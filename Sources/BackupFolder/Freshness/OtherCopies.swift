internal import CSPP

extension Namespace {
  /// Compares the logs with what this computer remembers of the namespace at other paths.
  ///
  /// Operations that were opened only there are no loss while the copy there has them: two copies are in
  /// use, and the report names the other one. If it has lost them too, they are rolled back here.
  ///
  /// - Parameters:
  ///   - health: receives the copies and the operations that are rolled back.
  ///   - localState: the memory of this path.
  ///   - missing: those of some remembered operations that are gone here.
  func compareCopies(
    _ health: inout LogHealth, _ localState: LocalState,
    missing: (OperationNames) -> OperationNames
  ) {
    let others = (try? state(make: false).otherPaths(of: id)) ?? []
    var (elsewhere, held): (OperationNames, OperationNames) = ([], [])
    for other in others {
      let gone = missing(other.state.operations.subtracting(localState.forgotten))
      if gone.isEmpty { continue }
      let new = gone.subtracting(localState.operations)
      guard let path = other.path else {
        if !new.isEmpty { health.copies.append(OtherCopy(path: nil, operations: new.count)) }
        continue
      }
      let there = present(gone, at: path)
      // What is known here may have been taken over from there.
      if there.isEmpty, !isHere(path) {
        health.lostCopies.append(OtherCopy(path: path, operations: gone.count))
      }
      if !there.isEmpty {
        health.copies.append(OtherCopy(path: path, operations: there.count))
      }
      elsewhere.formUnion(new)
      held.formUnion(there)
    }
    health.include(rolledBack: elsewhere.subtracting(held))
  }

  /// Whether the folder at another path has this namespace, in whatever state.
  private func isHere(_ path: String) -> Bool {
    let copy = try? Directory.open(path: path, watch: settings.watch)
    return (try? copy?.subdirectory(FolderLayout.namespaces)?.subdirectory(id.hex)) != nil
  }

  /// The operations that a copy of the namespace at another path has now, with their bytes.
  private func present(_ names: OperationNames, at path: String) -> OperationNames {
    guard let copy = try? Directory.open(path: path, watch: settings.watch),
      let all = try? copy.subdirectory(FolderLayout.namespaces),
      let directory = try? all.subdirectory(id.hex),
      let logs = try? Namespace(id: id, directory: directory, settings: settings, folder: copy)
        .logFolder()
    else { return [] }
    var files = LogFiles(logs)
    var buffer = FileBuffer()
    let limit = settings.limits.operation
    return OperationNames(
      names.filter { name in
        guard (try? files.read(.operation(name), into: &buffer, limit: limit)) != nil else {
          return false
        }
        return name
          == buffer.withBytes {
            OperationName(
              writer: name.writer, counter: name.counter, digest: Digest(of: $0))
          }
      })
  }
}
