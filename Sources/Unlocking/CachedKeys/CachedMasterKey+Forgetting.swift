package import BackupFolder
package import CSPP
package import CommandKit
internal import SecretStores

/// Forgets the keys that `unlock` stored on this computer.
extension CachedMasterKey {
  /// Forgets the keys of a backup's folder in both keyrings.
  ///
  /// - Parameters:
  ///   - folder: the backup's folder.
  ///   - world: the environment of the process.
  ///   - mayPrompt: whether the desktop may ask for its password.
  ///   - isMeant: selects the namespaces whose keys are forgotten.
  /// - Returns: the number of keys forgotten.
  /// - Throws: the error of one keyring, after the other was processed too.
  package static func forget(
    of folder: BackupFolder, _ world: World, mayPrompt: Bool,
    where isMeant: (NamespaceID) -> Bool = { _ in true }
  ) throws(UserMessage) -> Int {
    try both { () throws(SecretStoreError) in
      var count = 0
      for known in try inKernel(of: folder, world) where isMeant(known.namespaceID) {
        if try known.forgetInKernel() { count += 1 }
      }
      return count
    } desktop: { () throws(SecretStoreError) in
      let marked = marked(of: folder, world).filter { isMeant($0.namespaceID) }
      if marked.isEmpty { return 0 }
      var count = 0
      var service = try world.secretService(mayPrompt: mayPrompt)
      for known in marked {
        if try known.forgetInDesktop(&service) { count += 1 }
        known.unmarkDesktop()
      }
      return count
    }
  }

  /// Forgets the keys of every backup; otherwise as ``forget(of:_:mayPrompt:where:)``.
  package static func forgetAll(_ world: World, mayPrompt: Bool) throws(UserMessage) -> Int {
    try both { () throws(SecretStoreError) in
      var count = 0
      for name in try KernelKeyring.names(startingWith: prefix)
      where try KernelKeyring.forget(name) { count += 1 }
      return count
    } desktop: { () throws(SecretStoreError) in
      let marks = markPaths(world)
      let count: Int
      do throws(SecretStoreError) {
        var service = try world.secretService(mayPrompt: mayPrompt)
        count = try service.forget(schema)
      } catch {
        // A computer without a desktop has no keys there, unless it once had a desktop.
        let isAbsent = [.noSessionBus, .noBusLibrary, .noSecretService].contains(error)
        guard marks.isEmpty, isAbsent else { throw error }
        return 0
      }
      for mark in marks { FileCheck.remove(mark) }
      return count
    }
  }

  private static func both(
    kernel: () throws(SecretStoreError) -> Int, desktop: () throws(SecretStoreError) -> Int
  ) throws(UserMessage) -> Int {
    var count = 0
    var failure: UserMessage?
    do throws(SecretStoreError) {
      count += try kernel()
    } catch .noKeyrings {
      // The kernel has no keyrings, so it holds no keys.
    } catch {
      failure = UserMessage(error, .kernelKeyring)
    }
    do throws(SecretStoreError) {
      count += try desktop()
    } catch {
      failure = failure ?? UserMessage(error, .secretService)
    }
    if let failure { throw failure }
    return count
  }
}
