internal import BackupFolder
internal import CSPP

/// This computer as one that writes without a touch, for a report that needs no key.
struct LocalWriterReport: Sendable {
  private let writers: [LocalSilentWriter]
  /// The backup that is reported about.
  private let backup: NamespaceID
  /// Why it is not known.
  let problem: UserMessage?

  /// - Parameters:
  ///   - folder: the synced folder.
  ///   - backup: the backup that is reported about.
  init(_ folder: BackupFolder, _ backup: NamespaceID) {
    self.backup = backup
    do throws(BackupFolderError) {
      writers = try folder.localSilentWriters()
      problem = nil
    } catch {
      writers = []
      problem = UserMessage(error)
    }
  }

  private var current: LocalSilentWriter? { writers.last { $0.namespaceID == backup } }

  /// The lines of a report.
  var lines: [String] {
    guard let writer = current else { return [] }
    return [
      "No touch   this computer, as \"\(PrintableText.name(writer.label.text, limit: 40))\": "
        + "\(counted(writer.files.count, "file")), "
        + counted(Int(clamping: writer.operations), "change")
    ]
  }

  /// The advice, a sentence or two each.
  var advice: [String] {
    var advice = problem.map { [$0.sentence] } ?? []
    if current == nil, let other = writers.last(where: { $0.namespaceID != nil })?.namespaceID {
      advice.append(
        "this computer writes without a touch to the backup \(other.hex), not to this one. If the "
          + "master key was rotated, authorise it again: keybackup writers request")
    }
    if current == nil, writers.contains(where: { $0.namespaceID == nil }) {
      advice.append(
        "this computer asked to write without a touch, and has no answer yet. With the answer, run: "
          + "keybackup writers accept LINE")
    }
    return advice
  }

  /// The report as JSON.
  var json: JSONOutput {
    .array(
      writers.map { writer in
        [
          "writer_id": .string(writer.writerID.hex), "label": .string(writer.label.text),
          "namespace_id": .optional(writer.namespaceID?.hex),
          "operations": .number(Int(clamping: writer.operations)),
          "files": .array(
            writer.files.sorted { $0.key.text < $1.key.text }.map { name, id in
              ["name": .string(name.text), "file_id": .string(id.hex)]
            }),
        ]
      })
  }
}
