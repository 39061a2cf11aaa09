package import CommandKit
package import PRFDevice

extension AuthenticatorDescriptor {
  /// Whether it is a card on a reader, which must be held still.
  package var isOnReader: Bool { path.hasPrefix(AuthenticatorDescriptor.readerScheme) }
}

/// Messages that differ for a key on an NFC or smart-card reader.
extension UserMessage {
  /// The part of GnuPG's smart-card daemon in it, and how to stop it.
  private static let freeTheCard =
    "close the program that uses the card; if it is GnuPG: gpgconf --kill scdaemon"

  /// The message for a card where it is not the same as for a plugged-in key.
  package init?(card error: PRFDeviceError, key: String) {
    switch error {
    case .authenticatorLost, .closed:
      self.init(
        .authenticatorLost, "\(key) was taken off the reader too early",
        hint: "try again, and hold it still on the reader until keybackup has finished")
    case .busy:
      self.init(
        .incomplete, word: "busy", "another program is using \(key)", hint: Self.freeTheCard)
    case .noAnswer:
      self.init(
        .authenticatorLost, key + Self.silence,
        hint: "lay it flat on the middle of the reader, hold it still, and try again")
    case .notFIDO2:
      self.init(
        .prfUnsupported, "\(key) is no FIDO2 security key, or has FIDO2 switched off for NFC",
        hint: "plug it in, or use a FIDO2 security key with NFC")
    case .permissionDenied:
      self.init(
        .permissionDenied, "pcscd does not let you use \(key)",
        hint: "log in at this computer itself: pcscd's polkit rule wants that")
    case .touchTimeout:
      self.init(
        .touchTimeout, "\(key) was not touched in time",
        hint: "try again: take it off the reader and lay it down again, or touch it there")
    case .pinAuthBlocked(let retries):
      self = .pinAuthBlocked(key, retries, restart: "take the key off the reader and put it back")
    case .transport, .protocolViolation:
      var message = UserMessage(error, key: key)
      message.hint = "lay it flat on the middle of the reader, hold it still, and try again"
      self = message
    default: return nil
    }
  }

  /// No key in reach: what is plugged in is known, so says what is on the readers.
  package static func noAuthenticator(_ report: ReaderReport) -> UserMessage {
    var message = UserMessage(.noAuthenticator)
    let lines = report.readers.compactMap(hint(for:))
    message.hint = ([message.hint].compactMap { $0 } + lines).joined(separator: "\n")
    switch report.service {
    case .running, .notRunning: break
    case .refused:
      message.hint? +=
        "\nfor a key on an NFC reader, log in at this computer itself: pcscd's polkit rule "
        + "refuses you now"
    case .noAnswer:
      message.hint? +=
        "\nfor a key on an NFC reader, restart pcscd, which does not answer: "
        + "sudo systemctl restart pcscd.service"
    }
    return message
  }

  private static func hint(for reader: CardReader) -> String? {
    let name = PrintableText.name(reader.name)
    switch reader.state {
    case .empty: return "or hold one on the reader \(name)"
    case .otherCard: return "the card on the reader \(name) is no security key"
    case .busy: return "another program has the card on the reader \(name): \(freeTheCard)"
    case .noAnswer:
      return "the card on the reader \(name) does not answer: lay it flat and hold it still"
    case .authenticator, .partOfKey: return nil
    }
  }
}
