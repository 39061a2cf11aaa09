internal import BackupFolder
internal import CSPP

extension BackupFolder {
  /// Forgets the silent writers that this computer was before for the same backup.
  ///
  /// Those stay that may more than the new one. Open requests go, too: nobody answers them any more.
  /// A computer that was retired asks again, under a new key. What a crash left of the earlier one is
  /// published first.
  func forgetSilentWriters(before writer: LocalSilentWriter) throws(BackupFolderError) {
    for other in try localSilentWriters() where other.namespaceID == nil {
      try forgetSilentWriter(other.writerID)
    }
    for other in try localSilentWriters()
    where other.namespaceID == writer.namespaceID && other.writerID != writer.writerID
      && writer.may.isSuperset(of: other.may)
    {
      try? finishSilentWriting(as: other)
      try forgetSilentWriter(other.writerID)
    }
  }
}

extension [LocalSilentWriter] {
  /// The writer whose key a new request keeps: the last one with files, because they go on with it.
  var continued: LocalSilentWriter? { last { $0.may.contains(.filePut) } ?? last }
}
