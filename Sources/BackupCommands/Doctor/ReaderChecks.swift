internal import CommandKit
internal import PRFDevice

/// pcscd, and what the smart-card and NFC readers hold.
enum ReaderChecks {
  /// Looks at a report.
  ///
  /// - Parameters:
  ///   - report: what there is.
  ///   - keyIsUsable: some key works, so that readers are not needed.
  /// - Returns: pcscd's check, then one a reader.
  static func run(_ report: ReaderReport, keyIsUsable: Bool) -> [Check] {
    switch report.service {
    case .notRunning:
      return [
        .ok(
          "pcscd", "does not run; only a key on an NFC or smart-card reader needs it",
          hint: "for such a reader: sudo apt install pcscd && sudo systemctl start pcscd.socket")
      ]
    case .refused:
      let message = "runs and refuses you: polkit lets only the person at this computer use cards"
      let hint = """
        log in at the computer itself, or allow the actions org.debian.pcsc-lite.access_pcsc and \
        org.debian.pcsc-lite.access_card for your user in a file in /etc/polkit-1/rules.d
        """
      return [
        keyIsUsable
          ? .warning("pcscd", message, hint: hint)
          : .failed("pcscd", .permissionDenied, message, hint: hint)
      ]
    case .noAnswer:
      return [
        .warning(
          "pcscd", "runs and does not answer", hint: "sudo systemctl restart pcscd.service")
      ]
    case .running:
      let count = report.readers.count
      let service = Check.ok(
        "pcscd",
        "runs; " + (count == 0 ? "no reader" : count == 1 ? "1 reader" : "\(count) readers"))
      return [service] + report.readers.map(check)
    }
  }

  private static func check(_ reader: CardReader) -> Check {
    let name = "reader \(PrintableText.name(reader.name))"
    return switch reader.state {
    case .authenticator: .ok(name, "a security key is on it")
    case .partOfKey: .ok(name, "belongs to a security key that is plugged in")
    case .empty: .ok(name, "no card", hint: "put the key on it and leave it there")
    case .otherCard:
      .warning(
        name, "the card on it has no FIDO", hint: "take it off and put the security key there")
    case .busy:
      .warning(
        name, "another program has taken the card for itself",
        hint: "close it, then try again; if it is GnuPG: gpgconf --kill scdaemon")
    case .noAnswer:
      .warning(
        name, "the card on it does not answer",
        hint: "lay the key flat on the middle of the reader, away from metal and other cards")
    }
  }
}
