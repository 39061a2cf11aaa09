internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import FileCommands
internal import Unlocking

/// Judges the key slots: whether there is a spare, whether they were proved
/// lately, and whether removed ones came back.
extension StatusReport {
  /// After so many seconds a key slot should be proved again: a year.
  private static let lapse: UInt64 = 365 * 86_400

  /// Adds advice about the key slots.
  ///
  /// - Parameter time: Unix seconds.
  mutating func judgeKeySlots(at time: Int64) {
    let now = UInt64(max(0, time))
    judgeEnrolment()
    // What is enrolled first: no other file speaks for it.
    let enrolled = slots.filter { $0.isEnrolled == true && !$0.isUntestedCode }
    let unconfirmed = slots.filter { $0.isEnrolled == nil }
    for group in enrolled.independent + unconfirmed.independent {
      let name = "\"\(KeySlotSelector.shown(group[0]))\""
      guard let last = group.lastProof(before: now) else {
        if group.contains(where: { $0.createdAt != nil }) {
          advice.append(
            "\(name) says that it was made in the future. If this computer's clock is right, "
              + "somebody changed its file. Plug the key in and run: keybackup verify --deep")
        }
        continue
      }
      guard now > last, now - last >= Self.lapse else { continue }
      advice.append(
        "\(name) was last tested \(counted(Int((now - last) / 86_400), "day")) ago. "
          + proof(of: group))
    }
    advice += lostKeySlots.advice
    for slot in slots where slot.isRemoved {
      for file in slot.files {
        findings.append(
          FileFinding(
            file: file, recordID: nil, state: .foreign, reason: "of a way in that was removed"))
      }
    }
    if slots.contains(where: \.isRemoved) {
      advice.append(
        "files of a removed way in are still here. A sync program may have brought them back. To "
          + "delete them, open the backup with another way in: keybackup key repair")
    }
    advice += slots.compactMap { $0.renewalAdvice(replaced: $0.isReplaced(in: slots)) }
    for slot in slots where slot.isReplaced(in: slots) && !slot.isGuarded {
      advice.append(
        "the rotation of \"\(KeySlotSelector.shown(slot))\" is not finished. Plug that key in and "
          + "run: keybackup key repair")
    }
  }

  /// The command that proves a key slot.
  private func proof(of group: [KeySlot]) -> String {
    if let line = group.lazy.compactMap(\.guardedProof).first { return line }
    guard let kit = group.lazy.compactMap({ Kit($0) }).first else {
      // A master key that this computer knows would open the backup in its place.
      return "Plug it in and run: keybackup verify --deep"
        + (cachedKeys.isEmpty ? "" : " --no-keyring")
    }
    return "Run: " + RecoveryKitTestCommand.line(kit.keyID, kit.derivation)
  }

  /// Says which files do not count as key slots, and why.
  private mutating func judgeEnrolment() {
    for slot in slots where !slot.isRemoved {
      let name = "\"\(KeySlotSelector.shown(slot))\""
      switch slot.isEnrolled {
      case true?:
        guard slot.isUntestedCode else { continue }
        let hint =
          "\(name) was never tested on this computer, so it does not count. Test it with the code "
          + "from the page: keybackup recovery-kit test"
        advice.append(hint)
        if keys >= 2 { hints.insert(hint) }
      case false?:
        let file = PrintableText.name(slot.files.first ?? "", limit: 120)
        advice.append(
          "\(name) is not enrolled: the log knows nobody who wrote \(file). Do not rely on it."
            + (slot.keyID.map { " If nobody added it: keybackup key remove \($0.hex)" } ?? ""))
      case nil:
        guard knowsKeySlots else { continue }
        advice.append("\(name) is unconfirmed, so it does not count: " + whyUnconfirmed)
      }
    }
  }

  /// Says so where losing one thing loses the backup, as far as is known.
  mutating func requireSpare() {
    guard keys < 2 else { return }
    codes.append(.atRisk)
    guard knowsKeySlots else {
      advice.append(
        "whether there is a second way in is not known: \(whyUnknown). "
          + (stored.writer?.isCurrent == true
            ? "To find out, run on another computer: keybackup status"
            : "To confirm them: keybackup verify --deep"))
      return
    }
    advice.append(
      "add a second way in, and keep other copies of your wallets until you have tested it. To add a "
        + "key: keybackup key add")
    advice.append("to print a recovery kit: keybackup recovery-kit create --out kit.html")
  }

  /// How many key slots there are.
  var keySlotCount: String {
    if !knowsKeySlots {
      return "\(slots.independent.count), unconfirmed: \(whyUnknown)"
    }
    let others = slots.count { !$0.isRemoved && !$0.counts }
    if others == 0 { return "\(keys)" }
    return "\(keys), and \(others) that \(others == 1 ? "does" : "do") not count"
  }

  /// Why nobody can tell whether a key slot is enrolled, and what to do.
  private var whyUnconfirmed: String {
    isOpened
      ? "a part of the log that may enrol it could not be read."
      : KeySlot.whyUnconfirmed(hasOpenedWholeLog)
  }

  /// Why this computer does not know which key slots there are.
  var whyUnknown: String {
    health.isFreshnessKnown
      ? "this computer has not seen them enrolled"
      : "this computer has not opened this backup yet"
  }

  /// A line for each key slot.
  var keySlotLines: [String] {
    slots.map { slot in
      let name = KeySlotSelector.shown(slot)
      let isKind = name.lowercased() == slot.kindText.lowercased()
      if isKind, slot.isGuarded { return "           \(name): \(slot.standing)" }
      let kind = isKind ? "" : slot.kindText + ", "
      return "           \(name), \(kind)\(slot.standing)"
    }
  }
}

extension KeySlot {
  /// Whether another one takes its place, and it is not removed yet.
  func isReplaced(in slots: [KeySlot]) -> Bool {
    !isRemoved
      && slots.contains { $0.isEnrolled != false && $0.replaces != nil && $0.replaces == keyID }
  }

  /// Its state, in words.
  fileprivate var standing: String {
    if isRemoved { return "removed" }
    switch isEnrolled {
    case false?: return "not enrolled"
    case nil: return "unconfirmed"
    case true?: break
    }
    let proof: String
    if let provedAt {
      proof = "last used " + PrintableTime.day(provedAt)
    } else if keyID == nil {
      proof = "opened the backup here"
    } else if isUntestedCode {
      proof = "made \(PrintableTime.day(createdAt)), never tested"
    } else {
      let unused = isGuarded ? "never used yet" : "not yet tried alone"
      proof = "added \(PrintableTime.day(createdAt)), \(unused)"
    }
    if isGuarded { return "does not count, because guards may be gone, \(proof)" }
    return isPending ? "no new file since the master key was rotated, \(proof)" : proof
  }
}

extension [KeySlot] {
  /// When files of one thing opened the backup last; nil: nobody knows.
  ///
  /// Enrolment proves too, but not a rotation, which ends with the first opening
  /// (docs/decisions/0019). What a file says of its making is its writer's claim:
  /// a time to come is none.
  fileprivate func lastProof(before now: UInt64) -> UInt64? {
    let enrolled = filter { $0.replaces == nil }.compactMap(\.createdAt)
    let proofs = compactMap(\.provedAt) + enrolled.filter { $0 <= now }
    // Proved by another computer, at some time after it was made.
    return proofs.max() ?? compactMap(\.createdAt).filter { $0 <= now }.max()
  }
}
