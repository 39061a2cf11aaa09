package import BackupFolder
internal import CSPP
package import CommandKit

/// Which key slot a person means.
package enum KeySlotSelector {
  /// The key slots that an ID, its beginning or a label names; several where one
  /// takes another's place, so that a label names both.
  ///
  /// A whole ID wins. The beginning of one does not win over a label: someone who writes to the
  /// folder chooses the ID in a file, but not which key slots are enrolled.
  ///
  /// - Parameters:
  ///   - text: what the person typed.
  ///   - slots: those there are.
  /// - Returns: at least one, with a key ID.
  /// - Throws: `no-input` for none, `ambiguous` for several that are independent.
  package static func group(_ text: String, _ slots: [KeySlot]) throws(UserMessage) -> [KeySlot] {
    let named = slots.filter { $0.keyID != nil }
    let typed = text.lowercased()
    let whole = named.filter { $0.keyID?.hex == typed }
    // Another spelling is no other name: the key slot that is meant may be one whose file is not
    // here.
    let all =
      whole.isEmpty
      ? named.filter { slot in
        (slot.label == text && !slot.isRemoved)
          || ShortID.matches(typed, slot.keyID?.hex ?? "")
      } : whole
    // What is known to be enrolled is meant before a file that only says so.
    let enrolled = all.filter { $0.isEnrolled == true }
    let meant = enrolled.isEmpty ? all : enrolled
    guard !meant.isEmpty else {
      throw UserMessage(
        .noInput, "no way into the backup is called \"\(PrintableText.name(text, limit: 60))\"",
        hint: ShortID.shortHint(text) + near(text, named)
          + "to see their names and IDs: keybackup key list")
    }
    let areLabels = whole.isEmpty && meant.allSatisfy { $0.label == text }
    guard meant.count == 1 || (areLabels && meant.independent.count == 1) else {
      let ids = ShortID.shown(meant.map { $0.keyID?.hex ?? "" }).enumerated().map { place, short in
        untaken(short, of: meant[place], slots)
      }
      throw UserMessage(
        .ambiguous,
        "\(meant.count) ways into the backup fit \"\(PrintableText.name(text, limit: 60))\"",
        hint: "name one by its ID: "
          + zip(ids, meant).map { "\($0) (\"\(shown($1))\")" }.joined(separator: ", "))
    }
    return meant
  }

  /// A line that names what may have been meant; nothing where no name is near.
  private static func near(_ text: String, _ slots: [KeySlot]) -> String {
    let labels = Set(slots.filter { !$0.isRemoved }.map(\.label)).sorted()
    let found = Proposal.nearest(text, among: labels).map {
      "\"\(PrintableText.name($0, limit: 40))\""
    }
    return found.isEmpty ? "" : "Did you mean \(found.joined(separator: ", "))?\n"
  }

  /// As many digits of a key slot's ID as no other one has for its label.
  private static func untaken(_ short: String, of slot: KeySlot, _ slots: [KeySlot]) -> String {
    let whole = slot.keyID?.hex ?? ""
    let labels = Set(slots.filter { $0.keyID != slot.keyID }.map(\.label))
    let count = (short.count..<max(short.count, whole.count)).first {
      !labels.contains(String(whole.prefix($0)))
    }
    return count.map { String(whole.prefix($0)) } ?? whole
  }

  /// Fails if a key slot that a person named by its file has the ID of another one
  /// in the log.
  ///
  /// Someone who writes to the folder chooses both.
  ///
  /// - Parameters:
  ///   - meant: what was chosen before the log was open.
  ///   - opened: the backup.
  /// - Throws: `data-invalid`.
  package static func requireSame(
    _ meant: [KeySlot], in opened: borrowing OpenNamespace
  ) throws(UserMessage) {
    let slots: [KeySlot]
    do throws(BackupFolderError) {
      slots = try opened.allKeySlots()
    } catch {
      throw UserMessage(error)
    }
    for slot in meant {
      let enrolled = slots.first { $0.keyID == slot.keyID && $0.isEnrolled == true }
      guard let enrolled, enrolled.kind != slot.kind || enrolled.credentialID != slot.credentialID
      else { continue }
      throw UserMessage(
        .dataInvalid,
        "\"\(shown(slot))\" is not enrolled: its file has the ID of \"\(shown(enrolled))\"",
        hint: "nothing was changed; delete the file yourself: "
          + PrintableText.name(slot.files.joined(separator: ", "), limit: 200))
    }
  }

  /// Why a text names no key slot; nil: it may.
  package static func problem(_ text: String) -> String? {
    text.trimmed.isEmpty ? "name the way in: its label, its ID or the start of the ID" : nil
  }

  /// A key slot's name for a person.
  package static func shown(_ slot: KeySlot) -> String {
    let label = PrintableText.name(slot.label, limit: 40)
    return label.isEmpty
      ? slot.keyID.map { String($0.hex.prefix(8)) } ?? "another program's key" : label
  }
}
