// This program has all commands, also those that `keybackup` leaves to other programs. The manual pages
// and the completions are made with it; it is not installed.

internal import CommandKit
internal import Unlocking

@main
enum AllCommandsMain {
  static func main() { Program.main(AllCommands.self, sharing: UnlockOptions.self) }
}
