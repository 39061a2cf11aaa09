internal import BackupFolder
package import CSPP
package import CommandKit
internal import FoundationEssentials
internal import GuardProtocol
internal import SyncFolders

/// This computer's memory of one account at a guard.
///
/// So it notices a guard that was set back to an earlier state, and tries that somebody else spent.
/// There is no secret in it: not the element that was sent, nor its blind.
package struct GuardMemory: Codable, Equatable, Sendable {
  /// The highest counter that the guard ever named.
  package var counter: UInt64
  /// The tries that this computer spent since the tries were last set back.
  package var spent: Int
  /// The counter of a request whose answer did not come: it may have spent a try.
  package var asked: UInt64?
  /// The counter of a request to give the tries back whose answer did not come.
  package var back: UInt64?

  /// The difference between a status and the memory.
  package struct Finding: Equatable, Sendable {
    /// The tries that were spent and that this computer does not know of.
    var unknownTries: Int
    /// Whether the guard names a lower counter than before.
    var isSetBack: Bool
    /// The tries that this computer spent, with those that a move took.
    var ownTries: Int
    /// Whether the guard was moved since, which leaves few tries until they are given back.
    var isMoved = false
    /// How often somebody else changed the account since this computer last asked; 0 where it
    /// cannot tell.
    package var others: UInt64 = 0
  }

  /// Compares a status with what is remembered.
  ///
  /// - Parameters:
  ///   - counter: the counter in the status.
  ///   - left: the tries that are left.
  ///   - all: the tries of the schedule.
  ///   - memory: what is remembered; nil: nothing.
  /// - Returns: the difference.
  package static func compare(
    counter: UInt64, left: Int, of all: Int, with memory: GuardMemory?
  ) -> Finding {
    let spent = max(0, all - left)
    // An import raises the counter by far, and leaves so few tries.
    let moved = max(0, all - DelayLimiter.importedTries)
    func afterMove(own: Int) -> Finding {
      let unknown = max(0, spent - max(moved, own))
      return Finding(
        unknownTries: unknown, isSetBack: false, ownTries: spent - unknown, isMoved: true)
    }
    guard let memory else {
      if counter >= AccountLife.importDistance, spent >= moved { return afterMove(own: 0) }
      return Finding(unknownTries: spent, isSetBack: false, ownTries: 0)
    }
    guard counter >= memory.counter else {
      return Finding(unknownTries: spent, isSetBack: true, ownTries: 0)
    }
    if counter - memory.counter >= AccountLife.importDistance, spent >= moved {
      return afterMove(own: min(max(memory.spent, 0), all))
    }
    // A request to a guard that was set back names a lower counter than the memory.
    let hasArrived = memory.asked.map { $0 >= memory.counter && counter > $0 } ?? false
    let own = min(max(memory.spent, 0), all) + (hasArrived ? 1 : 0)
    let isBack =
      spent == 0 && memory.back.map { $0 >= memory.counter && counter > $0 } ?? false
    let expected = memory.counter + (hasArrived || isBack ? 1 : 0)
    let foreign = counter - expected
    if foreign == 0, spent <= own {
      return Finding(unknownTries: 0, isSetBack: false, ownTries: spent)
    }
    // If all other changes were tries, the sum is right. Else the tries were set back in between.
    let isSum = spent >= own && UInt64(spent - own) == foreign
    return Finding(
      unknownTries: isSum ? spent - own : spent, isSetBack: false, ownTries: isSum ? own : 0,
      others: foreign)
  }

  // MARK: The file

  private static let fileLimit = 4096

  /// The memory of an account; nil: there is none.
  package static func of(_ account: GuardAccountID, _ world: World) -> GuardMemory? {
    guard let folder = world.guardFolder,
      let text = ForeignFile.text("\(folder)/\(account.hex).json", limit: fileLimit)
    else { return nil }
    return parse(Array(text.utf8))
  }

  private static func parse(_ bytes: [UInt8]) -> GuardMemory? {
    try? JSONDecoder().decode(GuardMemory.self, from: Data(bytes))
  }

  /// Stores it durably, readable by the user only; see ``update(_:_:_:)``.
  @discardableResult
  package func keep(_ account: GuardAccountID, _ world: World) -> Bool {
    Self.update(account, world) { _ in self }
  }

  /// Changes the memory of an account durably, with no other run in between.
  ///
  /// - Parameters:
  ///   - account: the account.
  ///   - world: has this computer's state.
  ///   - change: receives what is remembered, and returns what is to be.
  /// - Returns: whether that worked. Without it the next run takes this one's try for another
  ///   person's.
  @discardableResult
  package static func update(
    _ account: GuardAccountID, _ world: World, _ change: (GuardMemory?) -> GuardMemory
  ) -> Bool {
    guard let folder = world.guardFolder else { return false }
    var isEncoded = false
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    do throws(BackupFolderError) {
      try PrivateFolder.update(account.hex + ".json", in: folder, limit: fileLimit) { known in
        let bytes = try? encoder.encode(change(known.flatMap(parse)))
        isEncoded = bytes != nil
        return bytes.map { Array($0) }
      }
    } catch {
      return false
    }
    return isEncoded
  }
}
