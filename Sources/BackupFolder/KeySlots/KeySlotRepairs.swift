internal import CSPP
internal import SecretMemory

/// What was done to the files of key slots, as paths below the namespace's folder.
public struct KeySlotRepairs: Equatable, Sendable {
  /// Written as the log has them.
  public internal(set) var written: [String] = []
  /// Deleted, of key slots that were removed.
  public internal(set) var deleted: [String] = []
}

/// The files of key slots in a writing run.
struct KeySlotFiles {
  /// What writing calls have put right.
  var repairs = KeySlotRepairs()
  /// Key slots that were removed because the one that opened the backup takes their
  /// place.
  var finishedRotations: Set<KeyID> = []
  /// Whether an envelope that fits no enrolled key may be replaced.
  var replacesForeignEnvelope = false
  /// Key slots whose files go although they opened the backup: the last ones.
  var deletable: Set<KeyID> = []
}
