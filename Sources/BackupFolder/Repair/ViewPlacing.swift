internal import CSPP
internal import SecretMemory

extension OpenNamespace {
  /// Gives staged envelopes their names.
  ///
  /// A file whose bytes no `put` here holds stays as it is. A reader then shows both versions, the
  /// logged one from the log.
  mutating func place(_ views: [StagedView]) throws(BackupFolderError) {
    var buffer = FileBuffer()
    let limit = namespace.settings.limits.record
    for staged in views {
      let name = FolderLayout.walletFile(staged.record)
      // A folder has its place. What is in it stays.
      staged.file.directory.putFolderAside(name)
      var isPlaced = try staged.file.place(new: name)
      if !isPlaced {
        isPlaced = try staged.file.place(replacing: name, buffer: &buffer, limit: limit) { bytes in
          mayGo(bytes)
        }
      }
      if isPlaced { view.written += 1 }
    }
    if let first = views.first { try first.file.directory.sync() }
  }

  /// Whether the bytes of a view file may be lost: they are logged, or this namespace's key does
  /// not open them.
  mutating func mayGo(_ bytes: Span<UInt8>) -> Bool {
    switch view.reader.open(bytes: bytes) {
    case .opened(let entry, let value):
      log.index.standing(of: value, record: entry.recordID) != .unknown
    case .failed(let failure): failure.mayBeReplaced
    case .absent: false
    }
  }
}
