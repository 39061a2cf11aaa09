import Testing

/// Keys on the readers of a private pcscd.
extension Sandbox {
  /// Options of `virtual-key` for a key that lies on a reader.
  static func onReader(_ settings: String...) -> [String] {
    ["--bus", "pcsc"] + settings.flatMap { ["--set", $0] }
  }

  /// Where the first key on a reader is.
  static let reader = "reader:Simulated Reader 00 00"

  /// Runs the command as another, ordinary user when the tests run as root.
  static var unprivileged: [String] {
    isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
  }
}
