internal import CSPP
internal import CommandKit
internal import SecretStores
internal import Unlocking

/// Whether `unlock` could keep a master key here.
///
/// Nothing else needs that, so that it cannot is no failure.
enum KeyringChecks {
  static func run(_ world: World) -> [Check] { [kernel, desktop(world)] }

  private static var kernel: Check {
    let name = "kernel-keyring"
    do throws(SecretStoreError) {
      try KernelKeyring.check(CachedMasterKey.prefix + "doctor", count: MasterKey.byteCount)
      return .ok(name, "can be used by keybackup unlock")
    } catch {
      let message = UserMessage(error, .kernelKeyring)
      return .warning(name, message.message, hint: message.hint ?? "")
    }
  }

  /// Nothing is started for it: only whether there is a session is looked at.
  private static func desktop(_ world: World) -> Check {
    let name = "desktop-keyring"
    do throws(SecretStoreError) {
      _ = try world.secretService(mayPrompt: false)
      return .ok(name, "there is a D-Bus session; to try it: keybackup unlock --keep")
    } catch {
      // What a server has not is no fault of it.
      return .ok(name, UserMessage(error, .secretService).message)
    }
  }
}
