internal import ArgumentParser

/// What every command takes that opens a backup with a security key.
struct UnlockOptions: ParsableArguments {
  @OptionGroup var common: CommonOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var pins: PINOptions
  @OptionGroup var folder: FolderOptions
  @OptionGroup var relyingParty: BackupRelyingPartyOption

  var output: Output { common.output }

  /// Finds the backup these options name.
  func backup(_ world: World) throws(UserMessage) -> Backup { try Backup(folder, world, output) }

  /// Finds a security key as these options say.
  func finder(_ world: World) -> KeyFinder { KeyFinder(common, device, pins.policy(world)) }
}
