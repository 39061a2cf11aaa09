internal import CSPP
internal import SecretMemory

/// The changes made to the files of key slots, as paths relative to the namespace's folder.
public struct KeySlotRepairs: Equatable, Sendable {
  /// Files that were written again from the log.
  public internal(set) var written: [String] = []
  /// Files that were deleted because their key slots were removed.
  public internal(set) var deleted: [String] = []
}

/// The files of key slots in a writing run.
struct KeySlotFiles {
  /// The repairs made by writing calls.
  var repairs = KeySlotRepairs()
  /// Key slots that were removed because the one that opened the backup replaces them.
  var finishedRotations: Set<KeyID> = []
  /// Whether an envelope that belongs to no enrolled key may be replaced.
  var replacesForeignEnvelope = false
  /// Key slots whose files are deleted although they opened the backup: the last ones.
  var deletable: Set<KeyID> = []
  /// Key slots that this run removes: their lost files are not written again first.
  var unwanted: Set<KeyID> = []
}
