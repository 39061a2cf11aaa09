internal import CSPP

/// The namespaces of the same backup beside an open one: none, unless its master key
/// was rotated.
struct Lineage {
  /// Those that it follows, as far as they are here.
  var earlier: [EarlierNamespace] = []
  /// Master keys of namespaces that belong to the same backup and that it does not
  /// follow yet: they are read like earlier ones.
  var others: [SharedMasterKey] = []
  /// Those of them that a rotation on another computer has finished.
  var rivals: Set<NamespaceID> = []
  /// Why some of them could not be opened.
  var problems: [FileFinding] = []
  /// Its successors when its logs were first read: whoever writes here all the same
  /// knows of them.
  var knownSuccessors: Set<NamespaceID>?
  /// How far its chains were carried over into the one that was opened; nil: it is
  /// that one, or it was not told.
  var carriedEnds: [Operation.Seen]?
  /// Those that whoever opened it has open beside it.
  var openElsewhere: Set<NamespaceID> = []
}
