import Testing

/// Keys on the readers of a private pcscd.
extension Sandbox {
  /// Options of `virtual-key` for a key that lies on a reader.
  static func onReader(_ settings: String...) -> [String] {
    ["--bus", "pcsc"] + settings.flatMap { ["--set", $0] }
  }

  /// The name of the place of the first key on a reader.
  static let reader = "reader:Simulated Reader 00 00"

  /// Runs the command as an ordinary user, to whom the sandbox then belongs.
  ///
  /// If the tests run as root, that user may still read the build folder.
  var ordinaryUser: [String] {
    guard isRoot else { return [] }
    let script = """
      chown -R 65534:65534 "$0" && exec setpriv --reuid 65534 --regid 65534 --clear-groups \
        --inh-caps +dac_read_search --ambient-caps +dac_read_search "$@"
      """
    return ["sh", "-c", script, root]
  }
}
