package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import SecretStores
internal import SecurityKeys
internal import Unlocking

/// `keybackup unlock`: keeps the backup open for a while.
package struct UnlockCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "unlock",
    abstract: "Keep the backup open for a while: commands then need no touch.",
    discussion: """
      The key stays in the kernel's keyring until the time is over, keybackup lock, or a \
      restart. Any program of yours can use it.
      --keep puts it into the desktop's keyring (GNOME, KDE, KeePassXC) until keybackup \
      lock.
      Every command takes --no-keyring to ask for the security key all the same.
      """)

  @OptionGroup var unlock: UnlockOptions

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "How long: 90s, 10m, 2h, up to 24h (default: 10m).", valueName: "time"))
  var time: UnlockTime?

  @Flag(help: "Keep it in the desktop's keyring until keybackup lock.")
  var keep = false

  package init() {}

  package mutating func validate() throws {
    if keep, time != nil { throw ValidationError("--keep and --for do not go together") }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let backup = try await unlock.backup(world, for: .unlocking)
    let asked = CachedMasterKey(backup.namespace.id, in: backup.folder, world)
    // What would not take the key is found out before the touch, and the desktop
    // asks what it has to.
    try attempt { () throws(SecretStoreError) in
      if keep {
        var service = try world.secretService(mayPrompt: !unlock.common.noInput)
        try service.prepare()
      } else {
        try asked.checkKernel()
      }
    }
    // Knowing it already is no reason to know it longer: a key slot has to be proved.
    let terms = UnlockTerms(needsKeySlot: true)
    var damaged: [FileFinding] = []
    let unlocked = try await backup.masterKey(unlock, world, terms, damaged: &damaged)
    for finding in damaged { unlock.output(world).note("keybackup: \(finding.text)") }
    // After a rotation of the master key, that of the backup in charge.
    let opened = try await backup.open(unlocked, unlock, world)
    let masterKey = opened.sharedMasterKey.copy()
    let known = CachedMasterKey(opened.id, in: backup.folder, world)
    try Interruption.check()
    let report: CachedKeyReport
    if keep {
      // Marked first: what is killed in between is found by `lock`.
      try known.markDesktop()
      try attempt { () throws(SecretStoreError) in
        var service = try world.secretService(mayPrompt: !unlock.common.noInput)
        try known.keepInDesktop(masterKey, &service)
      }
      report = CachedKeyReport(place: .secretService, namespaceID: opened.id)
    } else {
      let seconds = (time ?? .standard).seconds
      try attempt { () throws(SecretStoreError) in
        try known.keepInKernel(masterKey, for: seconds)
      }
      report = CachedKeyReport(
        place: .kernelKeyring, namespaceID: opened.id, until: world.now() + Int64(seconds))
    }
    try unlock.output(world).result(
      "The master key is \(report.text).", json: report.json,
      ofChange: "this computer knows it all the same; to forget it: keybackup lock")
    return .success
  }

  private func attempt(
    _ body: () throws(SecretStoreError) -> Void
  ) throws(UserMessage) {
    do throws(SecretStoreError) {
      try body()
    } catch {
      throw UserMessage(error, keep ? .secretService : .kernelKeyring)
    }
  }
}

/// A time in seconds, minutes or hours.
struct UnlockTime: ExpressibleByArgument, Sendable {
  /// 1 to ``KernelKeyring/longestTime``.
  let seconds: Int

  static let standard = UnlockTime(seconds: 600)

  private init(seconds: Int) { self.seconds = seconds }

  init?(argument: String) {
    let units = ["s": 1, "m": 60, "h": 3600]
    guard let last = argument.last, let unit = units[String(last)],
      argument.dropLast().allSatisfy({ ("0"..."9").contains($0) }),
      let number = Int(argument.dropLast()), number <= KernelKeyring.longestTime,
      (1...KernelKeyring.longestTime).contains(number * unit)
    else { return nil }
    seconds = number * unit
  }
}
