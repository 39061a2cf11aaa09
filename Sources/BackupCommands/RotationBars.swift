internal import BackupFolder
internal import CommandKit

/// Shows how far a rotation of the master key has come: wallets, then the contents of files.
struct RotationBars: ~Copyable {
  /// The size from which people see how far the work has come, in bytes.
  private static let shownFrom: UInt64 = 10_000_000

  private let wallets: Int
  private var sealing: ProgressBar
  private var copying: ProgressBar
  private var reading: ProgressBar
  /// The bytes copied so far; the rotation begins again when it looks for late changes.
  private var copied: UInt64 = 0

  /// - Parameters:
  ///   - wallets: how many there seem to be.
  ///   - common: where progress is shown.
  ///   - world: the terminal.
  init(wallets: Int, _ common: CommonOptions, _ world: World) {
    func bar(_ verb: String, _ unit: ProgressBar.Unit) -> ProgressBar {
      ProgressBar(
        verb, unit: unit, output: common.output(world), terminalName: world.variable("TERM"),
        events: common.events(world))
    }
    self.wallets = wallets
    sealing = bar("Sealing again", .pieces)
    copying = bar("Copying files", .bytes)
    reading = bar("Reading files back", .bytes)
  }

  mutating func advance(_ progress: RotationProgress) {
    switch progress {
    case .versions(let count): sealing.advance(to: count, of: max(count, wallets))
    case .copied(let done, let total):
      guard total > Self.shownFrom, done > copied else { return }
      copied = done
      sealing.finish()
      copying.advance(to: Int(done), of: Int(total))
    case .readBack(let done, let total):
      guard total > Self.shownFrom else { return }
      copying.finish()
      reading.advance(to: Int(done), of: Int(total))
    }
  }

  /// Clears the line.
  mutating func finish() {
    sealing.finish()
    copying.finish()
    reading.finish()
  }
}
