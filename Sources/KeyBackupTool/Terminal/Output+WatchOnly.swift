extension Output {
  /// Says how many wallets cannot be spent from.
  func note(watchOnly count: Int) {
    guard count > 0 else { return }
    note(
      "\(counted(count, "wallet")) \(count == 1 ? "is" : "are") watch-only: with this backup alone "
        + "\(count == 1 ? "its" : "their") coins can be seen, and not spent.")
  }

  /// Warns of descriptors without private keys, which may not be what was meant.
  ///
  /// - Parameters:
  ///   - publicOnly: how many have none.
  ///   - partly: how many have the private key of only some of their keys.
  ///   - count: how many there are.
  func warn(publicOnly: Int, partly: Int, of count: Int) {
    if publicOnly > 0 {
      let which =
        publicOnly == count
        ? (count == 1 ? "the descriptor holds" : "the descriptors hold")
        : "\(publicOnly) of \(count) descriptors hold"
      warn("keybackup: \(which) no private key: watch-only, nothing can be spent with it")
      warn(
        "hint: to back up the private keys too, import what bitcoin-cli listdescriptors true prints"
      )
    }
    if partly > 0 {
      warn(
        "keybackup: \(counted(partly, "descriptor")) with private keys for only some of the keys: "
          + "back up the others too")
    }
  }
}
