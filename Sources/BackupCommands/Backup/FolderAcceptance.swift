internal import BackupFolder
internal import CSPP
internal import CommandKit

/// `keybackup status --accept`: a person has looked, and the folder as it is now
/// counts.
///
/// Changes nothing in the folder, only what this computer remembers of it.
struct FolderAcceptance {
  let common: CommonOptions
  /// Whether nobody needs to be asked.
  let isConfirmed: Bool

  /// Shows what would be accepted, asks, and accepts exactly that.
  ///
  /// - Parameters:
  ///   - folder: the synced folder.
  ///   - id: the namespace, when the folder holds several.
  ///   - world: what surrounds the process.
  /// - Returns: success, also when there was nothing to accept.
  /// - Throws: `denied` when a person says no, `usage` when nobody can be asked.
  func run(
    _ folder: BackupFolder, _ id: NamespaceID?, _ world: World
  ) throws(UserMessage) -> ExitReason {
    let present: Present
    do throws(BackupFolderError) {
      present = try look(folder, id)
    } catch {
      throw UserMessage(error)
    }
    let changes = changes(present)
    if !changes.isEmpty { try confirm(changes, world) }
    do throws(BackupFolderError) {
      // Also where nothing shows: contradictions that only the opened log tells.
      if let acceptance = present.acceptance { try present.namespace?.accept(acceptance) }
      for (namespace, acceptance) in present.others { try namespace.accept(acceptance) }
      if !present.vanished.isEmpty { try folder.acceptLoss(of: present.vanished) }
    } catch {
      throw UserMessage(error)
    }
    try show(
      present,
      changes.isEmpty
        ? "There is nothing to accept. (Checked without a key.)"
        : "Accepted. What happens from now on is reported again.", world)
    return .success
  }

  /// The folder as it is.
  private struct Present {
    var namespace: Namespace?
    var acceptance: Acceptance?
    /// The others that this computer knows and that lack something, such as an earlier one that was
    /// deleted.
    var others: [(Namespace, Acceptance)] = []
    /// Namespaces that this computer knew and that are gone.
    var vanished: [NamespaceID]
  }

  private func look(
    _ folder: BackupFolder, _ id: NamespaceID?
  ) throws(BackupFolderError) -> Present {
    let vanished = try folder.vanishedNamespaces().filter { id == nil || $0 == id }
    do throws(BackupFolderError) {
      let namespace = try folder.namespace(id)
      var present = Present(
        namespace: namespace, acceptance: try namespace.acceptance(), vanished: vanished)
      if id != nil { return present }
      for other in try folder.remembered(besides: namespace.id) {
        let acceptance = try other.acceptance()
        if acceptance.isNeeded { present.others.append((other, acceptance)) }
      }
      return present
    } catch {
      // What is gone can be accepted where nothing else is.
      switch error {
      case .noNamespace, .incomplete: if vanished.isEmpty { throw error }
      default: throw error
      }
      return Present(vanished: vanished)
    }
  }

  /// The changes that would be accepted, in words.
  private func changes(_ present: Present) -> [String] {
    var lines = present.vanished.map { "the backup \($0.hex) is gone. It would be forgotten." }
    if let acceptance = present.acceptance, acceptance.isNeeded { lines += changes(acceptance) }
    for (namespace, acceptance) in present.others {
      lines.append("of the backup \(namespace.id.hex):")
      lines += changes(acceptance)
    }
    return lines
  }

  private func changes(_ acceptance: Acceptance) -> [String] {
    var lines: [String] = []
    let health = acceptance.health
    for (writer, count) in health.rolledBackBy.sorted(by: { $0.value > $1.value }).prefix(20) {
      lines.append(
        "\(counted(count, "change")) of computer \(writer.shortName) \(count == 1 ? "is" : "are") "
          + "gone. This computer has seen \(count == 1 ? "it" : "them").")
    }
    if health.forked > 0 {
      lines.append(
        "the log of computer \(WriterID.listed(health.forkedWriters, name: \.shortName)) "
          + "contradicts itself in \(counted(health.forked, "place")).")
    }
    if acceptance.gaps > 0 {
      lines.append(
        "\(counted(acceptance.gaps, "change")) that should be here never came.")
    }
    if acceptance.contentsNotHere > 0 {
      lines.append(
        "contents of \(counted(acceptance.contentsNotHere, "file")) that this computer wrote last are "
          + "not here.")
    }
    return lines
  }

  private func confirm(_ changes: [String], _ world: World) throws(UserMessage) {
    let prompter = common.prompter(world)
    for line in changes { common.output(world).warn("! \(line)") }
    if isConfirmed { return }
    guard prompter.canAsk else {
      throw UserMessage(
        .usage, "nobody can be asked whether to accept this",
        hint: "look first: keybackup verify --deep\nthen add --yes")
    }
    guard
      try prompter.confirm(
        "Accept that this is missing, and report it no more?")
    else {
      throw UserMessage(.denied, "not confirmed; nothing was accepted")
    }
  }

  private func show(_ present: Present, _ line: String, _ world: World) throws(UserMessage) {
    let all = ([present.acceptance] + present.others.map { $0.1 }).compactMap(\.self)
    try common.output(world).result(
      line,
      json: [
        "namespace_id": .optional(present.acceptance?.namespaceID.hex),
        "accepted": [
          "rolled_back": .number(all.reduce(0) { $0 + $1.health.rolledBack }),
          "forked": .number(all.reduce(0) { $0 + $1.health.forked }),
          "incomplete": .number(all.reduce(0) { $0 + $1.gaps }),
          "vanished": .array(present.vanished.map { .string($0.hex) }),
        ],
      ], ofChange: "it was accepted all the same")
  }
}

extension WriterID {
  /// Some computers by name: not all, where someone made up many.
  static func listed(_ writers: some Sequence<WriterID>, name: (WriterID) -> String) -> String {
    let all = writers.sorted()
    let shown = all.prefix(5).map(name).joined(separator: ", ")
    return all.count > 5 ? shown + " and \(all.count - 5) more" : shown
  }
}
