internal import CSPP

extension [ObjectFolder] {
  /// The best state of an object in any of these folders.
  func state(of object: Digest, contents size: UInt64) -> StoredVersion.ObjectState {
    var state = StoredVersion.ObjectState.missing
    for folder in self {
      switch folder.state(of: object, contents: size) {
      case .here, .inline: return .here
      case .wrongSize: state = .wrongSize
      case .missing: break
      }
    }
    return state
  }

  /// Whether one of these folders has a copy of an object that a sync program made, by its size.
  func haveCopy(of object: Digest, contents size: UInt64) -> Bool {
    contains { !$0.conflictCopies(of: object, contents: size).isEmpty }
  }

  /// Whether one of these folders has a part of an object, which may still arrive.
  func isArriving(_ object: Digest, contents size: UInt64) -> Bool {
    contains { folder in
      switch folder.state(of: object, contents: size) {
      case .here, .inline: !folder.holds(object, contents: size)
      case .wrongSize: true
      case .missing: false
      }
    }
  }

  /// Whether one of these folders has an object, or a conflict copy of it, with the bytes of its name.
  ///
  /// Only what has its size is read.
  ///
  /// - Throws: ``BackupFolderError/interrupted``.
  func holdWhole(_ object: Digest, contents size: UInt64) throws(BackupFolderError) -> Bool {
    if state(of: object, contents: size) == .here, try hold(object) { return true }
    for folder in self {
      for file in folder.conflictCopies(of: object, contents: size) {
        do throws(BackupFolderError) {
          if try folder.digest(of: file) == object { return true }
        } catch .interrupted {
          throw .interrupted
        } catch {
          continue
        }
      }
    }
    return false
  }

  /// Whether one of these folders has an object with the bytes of its name.
  ///
  /// - Throws: ``BackupFolderError/interrupted``.
  func hold(_ object: Digest) throws(BackupFolderError) -> Bool {
    for folder in self {
      do throws(BackupFolderError) {
        if try folder.isWhole(object) { return true }
      } catch .interrupted {
        throw .interrupted
      } catch {
        continue
      }
    }
    return false
  }
}

extension Namespace {
  /// The objects; nil when there are none.
  func objects() throws(BackupFolderError) -> ObjectFolder? {
    guard let own = try directory.readableSubdirectory(FolderLayout.ownFolder),
      let folder = try own.readableSubdirectory(FolderLayout.objectFolder)
    else { return nil }
    return ObjectFolder(directory: folder, isInterrupted: settings.watch.isInterrupted)
  }

  /// The objects, in a folder that is created if it is missing.
  func makeObjects() throws(BackupFolderError) -> ObjectFolder {
    let folder = try directory.makeSubdirectory(FolderLayout.ownFolder)
      .makeSubdirectory(FolderLayout.objectFolder)
    return ObjectFolder(directory: folder, isInterrupted: settings.watch.isInterrupted)
  }
}
