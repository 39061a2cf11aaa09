internal import CSPP

/// The other namespaces of the same backup; there are none unless its master key was rotated.
struct Lineage {
  /// The namespaces that it follows, as far as they are here.
  var earlier: [EarlierNamespace] = []
  /// Master keys of namespaces of the same backup that it does not follow yet; these are read like
  /// earlier ones.
  var others: [SharedMasterKey] = []
  /// The namespaces of these keys that a rotation on another computer has finished.
  var rivals: Set<NamespaceID> = []
  /// The namespace of another rotation whose contents are not read; nil: there is none.
  var unread: NamespaceID?
  /// The reasons why some of them could not be opened.
  var problems: [FileFinding] = []
  /// Its successors when its logs were first read; a run that writes here despite them knows them.
  var knownSuccessors: Set<NamespaceID>?
  /// The ends up to which its chains were carried over into the opened namespace.
  ///
  /// nil if it is the opened namespace itself or its ends are unknown.
  var carriedEnds: [Operation.Seen]?
  /// The namespaces that the opening run already has open.
  var openElsewhere: Set<NamespaceID> = []
  /// The number of versions whose contents were copied from an earlier namespace.
  var copiedContents = 0
}
