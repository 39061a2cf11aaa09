internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import CommandSupport

/// The choice of the one way in with guards that a person means.
///
/// One PIN is tried at one way only: the file of another may name an attacker's guards.
struct GuardedSlotChoice {
  /// The accepted key slots.
  let slots: [KeySlot]
  let guards: GuardOptions
  let common: CommonOptions
  let world: World

  /// Chooses a key slot.
  ///
  /// - Parameters:
  ///   - kind: the kind for a message: "PIN", "login".
  ///   - isWanted: whether a key slot is of that kind.
  /// - Returns: the slot.
  /// - Throws: `no-input`, `ambiguous`.
  func slot(_ kind: String, _ isWanted: (KeySlot) -> Bool) throws(UserMessage) -> KeySlot {
    let all = slots.filter { !$0.isRemoved && isWanted($0) }
    if !all.isEmpty { try guards.addresses.requireGuards(of: slots) }
    guard !all.isEmpty else {
      throw UserMessage(
        .noInput, "this backup has no way in with a \(kind) and guards",
        hint: "to see its ways in: keybackup key list")
    }
    if let named = guards.guardWay { return newest(try fitting(named, all)) }
    // A file that nobody here knows to be enrolled does not stand beside one that is.
    let enrolled = all.filter { $0.isEnrolled == true }
    let meant = enrolled.isEmpty ? all : enrolled
    guard meant.independent.count == 1 else { throw several(meant) }
    return newest(meant)
  }

  /// The slots that an ID, its beginning or a label names.
  private func fitting(_ text: String, _ slots: [KeySlot]) throws(UserMessage) -> [KeySlot] {
    let typed = text.lowercased()
    let fitting = slots.filter {
      $0.label == text || ShortID.matches(typed, $0.keyID?.hex ?? "")
    }
    let enrolled = fitting.filter { $0.isEnrolled == true }
    let meant = enrolled.isEmpty ? fitting : enrolled
    guard !meant.isEmpty else {
      throw UserMessage(
        .noInput,
        "no way in with guards is called \"\(PrintableText.name(text, limit: 60))\"",
        hint: "to see their names and IDs: keybackup key list")
    }
    guard meant.count == 1 || meant.independent.count == 1 else { throw several(meant) }
    return meant
  }

  private func several(_ slots: [KeySlot]) -> UserMessage {
    let ids = ShortID.shown(slots.map { $0.keyID?.hex ?? "" })
    let list = zip(ids, slots).map { "\($0) (\"\(PrintableText.name($1.label, limit: 40))\")" }
    return UserMessage(
      .ambiguous,
      "\(slots.count) ways in with guards fit, and what you type is for one of them only",
      hint: "name yours with --guard-way: \(list.joined(separator: ", "))")
  }

  /// The one that no other replaces.
  private func newest(_ slots: [KeySlot]) -> KeySlot {
    slots.first { slot in !slots.contains { $0.replaces != nil && $0.replaces == slot.keyID } }
      ?? slots[0]
  }

  /// Asks the person to confirm guards that this computer does not know; nothing is sent before.
  ///
  /// A way in that this computer saw in the log needs no confirmation. Nor does one whose guards are
  /// all named by `--guard-server`, with their IDs.
  ///
  /// - Parameters:
  ///   - way: the way in.
  ///   - slot: its key slot.
  ///   - issuer: the host of the login, if there is one.
  /// - Throws: `denied`; `usage` where nobody can be asked.
  func confirm(_ way: GuardWay, _ slot: KeySlot, issuer: String? = nil) throws(UserMessage) {
    if slot.isEnrolled == true { return }
    let named = guards.servers
    if issuer == nil, way.servers.allSatisfy({ named[$0.guardID] != nil }) { return }
    let prompter = common.prompter(world)
    guard prompter.canAsk else {
      throw UserMessage(
        .usage,
        "this computer does not know the guards of \"\(way.name)\", and nobody can be asked",
        hint: way.servers.map {
          "name each guard after you have compared its ID with your notes: --guard-server "
            + ShellWord.quoted("\($0.guardID.hex)=\($0.url)")
        }.joined(separator: "\n"))
    }
    prompter.tell(
      "This computer has not used \"\(way.name)\" yet. Anyone who writes to the folder could have "
        + "named guards of their own. Compare them with your notes:")
    if let issuer { prompter.tell("  login at \(issuer)") }
    for server in way.servers { prompter.tell("  \(server.title)") }
    guard try prompter.confirm("Are these your guards?") else {
      throw UserMessage(
        .denied, "not confirmed; no guard was asked",
        hint: "use another way in; to see them: keybackup key list")
    }
  }
}
