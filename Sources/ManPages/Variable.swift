/// A variable of the environment that `keybackup` or a library in it reads.
///
/// A test compares this list with what Sources read. A new variable goes in here.
struct Variable {
  /// Its name.
  let name: String
  /// Its purpose.
  let text: String
  /// Whether the pages of single commands name it too.
  var isOftenUsed = false

  /// All of them: first those of this program, then others in the order of their use.
  static let all = [
    Variable(
      name: "KEYBACKUP_FOLDER",
      text: "The synced folder. --folder goes before it, the settings come after it.",
      isOftenUsed: true),
    Variable(
      name: "KEYBACKUP_PIN_FILE",
      text: "A file whose first line is the PIN of one key; only you may read it. --pin-fd and "
        + "--pin-file go before it.",
      isOftenUsed: true),
    Variable(
      name: "KEYBACKUP_GUARD_CA",
      text: "A PEM file of authorities to trust for guards too. --guard-ca goes before it."),
    Variable(
      name: "KEYBACKUP_ASKPASS",
      text: "A program that asks for the PIN. Its only argument is the question, the first line "
        + "of its output is the PIN.",
      isOftenUsed: true),
    Variable(
      name: "KEYBACKUP_PINENTRY",
      text: "The pinentry program that asks for the PIN."),
    Variable(
      name: "SSH_ASKPASS",
      text: "A program that asks for the PIN, by OpenSSH's rules: without a terminal, or as "
        + "SSH_ASKPASS_REQUIRE says."),
    Variable(
      name: "SSH_ASKPASS_REQUIRE",
      text: "never, prefer or force: when SSH_ASKPASS is used."),
    Variable(
      name: "CREDENTIALS_DIRECTORY",
      text: "The folder of systemd's credentials. The file keybackup.pin in it holds the PIN."),
    Variable(
      name: "DISPLAY",
      text: "Tells that a window can be shown. Without a terminal, pinentry from PATH asks then."),
    Variable(name: "WAYLAND_DISPLAY", text: "The same as DISPLAY, for Wayland."),
    Variable(
      name: "TERM",
      text: "The terminal's type. With dumb, nothing is bold and no progress bar is drawn."),
    Variable(name: "NO_COLOR", text: "If set, nothing is bold or coloured."),
    Variable(
      name: "COLUMNS", text: "How wide help pages are. Without it, the terminal's width counts."),
    Variable(name: "LC_ALL", text: "The locale that a pinentry program is told."),
    Variable(name: "LC_CTYPE", text: "The same, where LC_ALL is not set."),
    Variable(name: "LANG", text: "The same, where neither is set."),
    Variable(name: "HOME", text: "Your home folder, where settings and memory are kept."),
    Variable(
      name: "XDG_CONFIG_HOME", text: "Where settings are kept instead of ~/.config."),
    Variable(
      name: "XDG_STATE_HOME",
      text: "Where this computer remembers what it saw, instead of ~/.local/state."),
    Variable(
      name: "XDG_CACHE_HOME", text: "Where rclone's bisync keeps its state, instead of ~/.cache."),
    Variable(
      name: "XDG_RUNTIME_DIR",
      text: "Where sockets of the desktop's keyring, mounts and sync programs are looked for."),
    Variable(
      name: "DBUS_SESSION_BUS_ADDRESS",
      text: "The session bus on which the desktop's keyring is asked."),
    Variable(name: "PATH", text: "Where askpass and pinentry programs are looked for."),
    Variable(
      name: "PCSCLITE_CSOCK_NAME",
      text: "The socket of pcscd, for keys on NFC and smart-card readers."),
    Variable(
      name: "NOTIFY_SOCKET", text: "Where systemd is told that a file is watched. systemd sets it."),
    Variable(
      name: "WATCHDOG_USEC",
      text: "How often systemd wants a sign of life, in microseconds. systemd sets it."),
    Variable(
      name: "KEYBACKUP_FILE", text: "Set for a command of file watch --on-failure: the file."),
    Variable(
      name: "KEYBACKUP_ERROR", text: "Set for the same command: the error's word, as in JSON."),
    Variable(name: "KEYBACKUP_MESSAGE", text: "Set for the same command: the error's message."),
    Variable(name: "WATCHDOG_PID", text: "The process that this is for. systemd sets it."),
  ]
}
