internal import CLinux
internal import CommandKit
internal import Glibc
internal import PRFDevice

/// The rules that give a person access to security keys.
struct UdevRules {
  /// The folders that udev reads, in the order of precedence.
  private static let folders = [
    "/etc/udev/rules.d", "/run/udev/rules.d", "/usr/local/lib/udev/rules.d",
    "/usr/lib/udev/rules.d", "/lib/udev/rules.d",
  ]

  /// How to install the rule of this package; the rule itself for a person
  /// without a copy of it.
  static let installation = """
    install the rule:  sudo make install-udev-rule  (in the source folder), or write these two lines \
    into /etc/udev/rules.d/\(AuthenticatorList.udevRuleName):
      SUBSYSTEM=="hidraw", IMPORT{program}="fido_id"
      SUBSYSTEM=="hidraw", ENV{ID_FIDO_TOKEN}=="1", GROUP="plugdev", MODE="0660", TAG+="uaccess"
    and run  sudo udevadm control --reload && sudo udevadm trigger --subsystem-match=hidraw
    """

  private let root: String

  /// - Parameter root: the folder that stands for "/".
  init(root: String = "") { self.root = root }

  var check: Check {
    var check = rules
    if check.status != .failed, !FileCheck.exists(root + "/run/udev/control") {
      check.status = .warning
      check.message += "; but udev does not run here, so no rule has an effect"
      check.hint =
        (check.hint.map { $0 + "\n" } ?? "")
        + "in a container: run keybackup outside of it, or give it the device file from outside"
    }
    return check
  }

  private var rules: Check {
    let name = "udev-rules"
    if let own = place(of: AuthenticatorList.udevRuleName) {
      return .ok(name, "\(own) gives access to every FIDO2 key")
    }
    // systemd's recognise keys by their usage page, and give them to the seat.
    let recognises = place(of: "60-fido-id.rules")
    if let recognises, let gives = place(of: "70-uaccess.rules") {
      return .ok(
        name, "\(recognises) and \(gives) give access to the person at this computer",
        hint:
          "over ssh or without logind, \(Self.installation)"
      )
    }
    for listed in ["70-u2f.rules", "70-titan-key.rules", "69-yubikey.rules", "70-yubikey.rules"] {
      if let found = place(of: listed) {
        return .warning(
          name, "\(found) gives access to listed models only", hint: Self.installation)
      }
    }
    return .warning(
      name,
      recognises.map { "\($0) recognises keys, but no rule gives access to them" }
        ?? "no rule gives access to security keys", hint: Self.installation)
  }

  /// Where a rule file is; an empty one, or a link to /dev/null, switches a
  /// rule of the same name off.
  private func place(of name: String) -> String? {
    for folder in Self.folders {
      var status = stat()
      if unsafe stat(root + folder + "/" + name, &status) == 0 {
        return status.st_mode & S_IFMT == S_IFREG && status.st_size > 0 ? folder + "/" + name : nil
      }
    }
    return nil
  }
}
