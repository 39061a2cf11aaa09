internal import ArgumentParser
internal import FoundationEssentials
internal import SecretStores

/// `keybackup lock`: this computer forgets what `unlock` made it know.
struct LockCommand: ParsableCommand, KeyBackupCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock",
    abstract: "Forget the master key that keybackup unlock made this computer know.",
    discussion: """
      Both the kernel's keyring and, where --keep was used, the desktop's. With --all the keys of \
      every backup of yours; the folder need not be there then.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var folder: FolderOptions

  @Flag(help: "Forget the keys of every backup.")
  var all = false

  func run(in world: World) async throws(UserMessage) -> ExitCode {
    let forgotten: Int
    if all {
      forgotten = try forgetAll(world)
    } else {
      let backup: Backup
      do throws(UserMessage) {
        backup = try Backup(
          at: folder.path(world, common.output), folder, world, common)
      } catch {
        throw UserMessage(
          error.code, word: error.word, error.message,
          hint: "keybackup lock --all forgets the keys of every backup, without any folder")
      }
      forgotten = try forget(KnownMasterKey(backup, world), world)
    }
    try common.output.result(
      forgotten == 0 ? "No master key was known." : "Forgotten.",
      json: ["forgotten": .number(forgotten)], ofChange: "the key is forgotten all the same")
    return .success
  }

  private func forget(_ known: KnownMasterKey, _ world: World) throws(UserMessage) -> Int {
    var count = 0
    do throws(SecretStoreError) {
      if try known.forgetInKernel() { count += 1 }
    } catch .noKeyrings {
      // Then it keeps nothing.
    } catch {
      throw UserMessage(error, .kernelKeyring)
    }
    guard known.mayBeInDesktop else { return count }
    do throws(SecretStoreError) {
      var service = try world.secretService(mayPrompt: !common.noInput)
      if try known.forgetInDesktop(&service) { count += 1 }
    } catch {
      throw UserMessage(error, .secretService)
    }
    known.unmarkDesktop()
    return count
  }

  private func forgetAll(_ world: World) throws(UserMessage) -> Int {
    var count = 0
    do throws(SecretStoreError) {
      for name in try KernelKeyring.names(startingWith: KnownMasterKey.prefix)
      where try KernelKeyring.forget(name) { count += 1 }
    } catch .noKeyrings {
      // Then it keeps nothing.
    } catch {
      throw UserMessage(error, .kernelKeyring)
    }
    let marks = KnownMasterKey.markFolder(world).map { folder in
      ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).map {
        "\(folder)/\($0)"
      }
    }
    do throws(SecretStoreError) {
      var service = try world.secretService(mayPrompt: !common.noInput)
      count += try service.forget(KnownMasterKey.schema)
    } catch {
      // A computer without a desktop keeps nothing there, unless it once did.
      if let marks, !marks.isEmpty { throw UserMessage(error, .secretService) }
      if error == .interrupted { throw .interrupted }
    }
    for mark in marks ?? [] { FileCheck.remove(mark) }
    return count
  }
}
