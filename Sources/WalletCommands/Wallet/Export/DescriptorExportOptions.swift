internal import ArgumentParser
internal import WalletFormats

/// Which descriptors of a wallet are exported.
struct DescriptorExportOptions: ParsableArguments {
  @Flag(name: .customLong("private"), help: "With --format descriptors, those that can spend.")
  var isPrivate = false

  @Option(help: ArgumentHelp("With --format descriptors, this account.", valueName: "n"))
  var account: UInt32?

  @Option(
    help: ArgumentHelp(
      "With --format descriptors, search the chain from this Unix time (default: all of it).",
      valueName: "seconds"))
  var timestamp: UInt64?

  mutating func validate() throws {
    if let account, account >= 1 << 31 { throw ValidationError("--account is below 2147483648") }
    if let timestamp, timestamp >= 1 << 32 {
      throw ValidationError("--timestamp is a Unix time in seconds")
    }
  }

  /// Whether any is given.
  var isGiven: Bool { isPrivate || account != nil || timestamp != nil }

  /// The descriptors that they choose.
  var wanted: WalletDescriptors {
    var wanted = WalletDescriptors()
    wanted.half = isPrivate ? .privateKey : .publicKey
    wanted.account = account ?? 0
    wanted.timestamp = timestamp ?? 0
    return wanted
  }
}
