internal import ArgumentParser

/// What every command takes that opens a backup with a security key.
struct UnlockOptions: ParsableArguments {
  @OptionGroup var common: CommonOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var pins: PINOptions
  @OptionGroup var folder: FolderOptions
  @OptionGroup var sync: SyncOptions
  @OptionGroup var relyingParty: BackupRelyingPartyOption

  var output: Output { common.output }

  /// Finds the backup these options name.
  ///
  /// - Parameters:
  ///   - world: what surrounds the process.
  ///   - use: what the command does with it.
  /// - Returns: the backup, all of it if the options say to wait for that.
  /// - Throws: as ``Backup/init(_:_:_:)``; `incomplete` after the wait.
  func backup(
    _ world: World, for use: Backup.Use = .reading
  ) async throws(UserMessage) -> Backup {
    try await Backup.find(folder, sync, common, world, for: use)
  }

  /// Finds a security key as these options say.
  func finder(_ world: World) -> KeyFinder { KeyFinder(common, device, pins.policy(world)) }
}
