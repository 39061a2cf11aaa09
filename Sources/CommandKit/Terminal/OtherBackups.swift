package import BackupFolder
package import CSPP
internal import CommandSupport

/// The backups of the folder other than the one that a command works on.
///
/// The result and the exit code of a run tell of them, whichever command it is
/// (docs/decisions/0027).
package struct OtherBackups: Sendable, Equatable {
  /// Those that this computer knew, that are gone, and that the one that is used does not follow.
  package var vanished: [NamespaceID] = []
  /// Those that lie beside it and that this computer never opened.
  package var present: [NamespaceID] = []
  /// Whether a person named the one to use: that others are gone is known then.
  package var isAccepted = false

  package init(vanished: [NamespaceID] = [], present: [NamespaceID] = [], isAccepted: Bool = false)
  {
    self.vanished = vanished
    self.present = present
    self.isAccepted = isAccepted
  }

  /// How a command ends that would end with a code, had it not found this.
  package func ending(_ code: ExitReason) -> ExitReason {
    guard !vanished.isEmpty, !isAccepted else { return code }
    // Where nothing was done, that is what counts.
    guard code == .success || code == .mostUrgent(of: [code]) else { return code }
    return .mostUrgent(of: [code, .rollback])
  }

  /// A result that tells of them.
  package func added(to result: JSONOutput) -> JSONOutput {
    var result = result
    for (name, ids) in [("vanished", vanished), ("others", present)]
    where !ids.isEmpty && result[name] == nil {
      result[name] = .array(ids.map { .string($0.hex) })
    }
    return result
  }

  /// Tells a person.
  ///
  /// - Parameters:
  ///   - id: the one that is used.
  ///   - folder: where it lies.
  ///   - output: where to.
  package func tell(besides id: NamespaceID, in folder: BackupFolder, _ output: Output) {
    if !vanished.isEmpty {
      output.warn(Self.gone(vanished, from: folder, instead: id))
    }
    if !present.isEmpty {
      output.note(
        "The folder also holds \(NamespaceID.listed(present)). This computer never opened it. It is not "
          + "used.")
    }
  }

  /// The message if a backup that this computer knew is gone and another one opens.
  package static func gone(
    _ vanished: [NamespaceID], from folder: BackupFolder, instead id: NamespaceID
  ) -> UserMessage {
    UserMessage(
      .rollback,
      "the backup that this computer knew is gone from \(ShellWord.quoted(folder.path)): "
        + NamespaceID.listed(vanished),
      hint: "check the sync program and its deleted files\nthe folder now holds another backup; to "
        + "use that one, add --namespace \(id.hex)\nif the other is gone for good, accept that: "
        + "keybackup status --accept")
  }
}

extension Run {
  /// The other backups that the command found.
  package var others: OtherBackups {
    get { with(OtherBackups()) { $0 } }
    set { with(OtherBackups()) { $0 = newValue } }
  }
}

extension NamespaceID {
  /// Some of them: not all, where somebody made up many.
  package static func listed(_ ids: [NamespaceID]) -> String {
    let shown = ids.prefix(5).map(\.hex).joined(separator: ", ")
    return ids.count > 5 ? shown + " and \(ids.count - 5) more" : shown
  }
}
