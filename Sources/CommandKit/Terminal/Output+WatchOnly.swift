extension Output {
  /// Says how many wallets cannot be spent from.
  package func note(watchOnly count: Int) {
    guard count > 0 else { return }
    note(
      "\(counted(count, "wallet")) \(count == 1 ? "is" : "are") watch-only. With this backup alone "
        + "you can see \(count == 1 ? "its" : "their") coins, but not spend them.")
  }

  /// Warns of descriptors without private keys, which may not be what was meant.
  ///
  /// - Parameters:
  ///   - publicOnly: how many have none.
  ///   - partly: how many have the private key of only some of their keys.
  ///   - count: how many there are.
  package func warn(publicOnly: Int, partly: Int, of count: Int) {
    if publicOnly > 0 {
      let which =
        publicOnly == count
        ? (count == 1 ? "the descriptor holds" : "the descriptors hold")
        : "\(publicOnly) of \(count) descriptors hold"
      warn("keybackup: \(which) no private key: watch-only, nothing can be spent with it")
      warn(
        "hint: to back up the private keys too, import what this prints: "
          + "bitcoin-cli listdescriptors true")
    }
    if partly > 0 {
      warn(
        "keybackup: \(counted(partly, "descriptor")) \(partly == 1 ? "holds" : "hold") the private key "
          + "of only some of the keys: back up the others too")
    }
  }
}
