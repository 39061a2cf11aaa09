internal import CSPP
internal import SecretMemory

extension OpenNamespace {
  /// Remembers the security key that opened the namespace; failing to do so is no error.
  ///
  /// If the namespace is another program's and is to be written, the relying party that the user
  /// named is remembered too.
  ///
  /// - Parameters:
  ///   - slot: the slot that opened it.
  ///   - relyingParty: nil if none is to be remembered.
  public func rememberCredential(of slot: KeySlot, adopting relyingParty: String? = nil) {
    guard slot.namespaceID == id else { return }
    func news(_ known: LocalCredentialState) -> LocalCredentialState {
      var news = known
      if let credential = slot.credentialID { news.credentials.insert(credential) }
      if let relyingParty { news.relyingParties.insert(relyingParty) }
      return news
    }
    if news(LocalCredentialState()) == LocalCredentialState() { return }
    if let state = try? namespace.state(make: false) {
      let known = state.readableCredentials(of: id)
      if news(known) == known { return }
    }
    guard let state = try? namespace.state(make: true),
      let lock = try? state.lock(patience: FileLock.readersPatience)
    else { return }
    try? state.update(credentialsOf: id) { $0 = news($0) }
    _ = consume lock
  }
}
