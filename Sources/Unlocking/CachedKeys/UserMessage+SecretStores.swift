package import CommandKit
package import SecretStores

extension UserMessage {
  /// Creates the message for an error of a keyring.
  ///
  /// - Parameters:
  ///   - error: the error.
  ///   - place: the keyring.
  ///   - without: what works without the keyring.
  ///   - other: another keyring that may be used instead, with the word before it; none if empty.
  package init(
    _ error: SecretStoreError, _ place: CachedKeyPlace,
    without: String = "every command works without it, with the security key",
    or other: String = "or use keybackup unlock --for"
  ) {
    let keepWithout = without
    let instead = other.isEmpty ? "" : ", \(other)"
    self =
      switch error {
      case .noKeyrings(let code):
        UserMessage(
          .config, "the kernel's keyring cannot be used here: \(systemText(code))",
          hint: "containers and sandboxes often forbid the system calls add_key and keyctl; "
            + keepWithout)
      case .quotaExceeded:
        UserMessage(
          .io, "your share of the kernel's keyrings is used up",
          hint: "keyctl show @u lists what is there, keyctl unlink removes some of it; the limits "
            + "are in /proc/sys/kernel/keys")
      case .system(let code):
        UserMessage(.io, "\(place.words) failed: \(systemText(code))", hint: keepWithout)
      case .noSessionBus:
        UserMessage(
          .config, "there is no D-Bus session here, and so no desktop's keyring",
          hint: "log in to a desktop\(instead)\(other.isEmpty ? "" : ", which needs none"); "
            + keepWithout)
      case .busRefused:
        UserMessage(
          .config, "the D-Bus session does not let this user in",
          hint: "run keybackup as the user who is logged in to the desktop, not with sudo or su")
      case .noBusLibrary:
        UserMessage(
          .config, "the desktop's keyring cannot be reached: libsystemd.so.0 is missing",
          hint: "install libsystemd (Debian: libsystemd0)\(instead); " + keepWithout)
      case .noSecretService:
        UserMessage(
          .config, "no program keeps secrets on this desktop",
          hint: "install and start gnome-keyring, KWallet or KeePassXC with its Secret Service"
            + (other.isEmpty ? "" : "; \(other)"))
      case .locked:
        UserMessage(
          .permissionDenied, "the desktop's keyring is locked",
          hint: "unlock it in the desktop's password program, or run the command where you can "
            + "be asked")
      case .dismissed:
        UserMessage(
          .denied, "the desktop's keyring was not unlocked",
          hint: "try again and answer the desktop's question; without a display it cannot ask")
      case .timedOut:
        UserMessage(
          .incomplete, word: "busy", "the desktop's keyring gives no answer",
          hint: "try again in a moment; " + keepWithout)
      case .interrupted: .interrupted
      case .serviceFailed(let name):
        UserMessage(
          .io, "the desktop's keyring refused: \(PrintableText.name(name, limit: 100))",
          hint: "see what the desktop's password program says; " + keepWithout)
      case .protocolViolation(let what):
        UserMessage(
          .io, "the desktop's keyring answered in a way that is not understood: \(what)",
          hint: keepWithout)
      case .notKept:
        UserMessage(
          .dataInvalid, "what \(place.words) gives back is not this backup's master key",
          hint: "to forget it: keybackup lock")
      }
  }
}
