internal import CommandKit
internal import CommandSupport
internal import PRFDevice

extension AuthenticatorFinder {
  /// Lets the user choose one of several security keys by touching it.
  ///
  /// It takes a touch that does nothing else. A key that cannot be opened is named and omitted, so
  /// its error does not stop the others.
  ///
  /// - Throws: `touch-timeout`, `interrupted`, or the reason why no key could be opened.
  func chooseByTouch(
    _ descriptors: [AuthenticatorDescriptor], _ purpose: String
  ) async throws(UserMessage) -> OpenAuthenticator {
    let results = await withTaskGroup { group in
      for (index, descriptor) in descriptors.enumerated() {
        group.addTask { () async -> (Int, Result<OpenAuthenticator, UserMessage>) in
          do throws(UserMessage) {
            return (index, .success(try await open(descriptor)))
          } catch {
            return (index, .failure(error))
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }.sorted { $0.0 < $1.0 }.map(\.1)
    var keys: [OpenAuthenticator] = []
    var failure: UserMessage?
    for result in results {
      switch result {
      case .success(let key): keys.append(key)
      case .failure(let error):
        if error.code == .interrupted { throw error }
        output.note("keybackup: \(error.message)")
        failure = failure ?? error
      }
    }
    guard !keys.isEmpty else { throw failure ?? UserMessage(.noAuthenticator) }
    return try await touched(keys, purpose)
  }

  /// The key among these that the user touches; the others are closed.
  ///
  /// A key on a reader answers as if it were touched, although it may have been there before. So it
  /// must be named.
  ///
  /// - Throws: `ambiguous` when none of them can be touched.
  func touched(_ keys: [OpenAuthenticator], _ purpose: String) async throws(UserMessage)
    -> OpenAuthenticator
  {
    let blinking = keys.filter { $0.descriptor.transport != .nfc }
    guard !blinking.isEmpty else { throw Self.ambiguous(keys.map(\.descriptor)) }
    for key in keys where key.descriptor.transport == .nfc {
      prompter.tell(
        "To use the key on the reader instead, name it: --device "
          + ShellWord.quoted(key.descriptor.path))
    }
    let shown = blinking.map(\.shown)
    let chosen = try await prompter.select(among: shown, purpose, seconds: touchPatience) {
      () async throws(UserMessage) in
      try await firstTouched(of: blinking)
    }
    for key in keys where key !== chosen { await key.authenticator.close() }
    return chosen
  }

  private func firstTouched(of keys: [OpenAuthenticator]) async throws(UserMessage)
    -> OpenAuthenticator
  {
    var chosen: OpenAuthenticator?
    var failures: [UserMessage] = []
    await withTaskGroup { group in
      for key in keys {
        group.addTask { () async -> (OpenAuthenticator, UserMessage?) in
          do throws(UserMessage) {
            try await key.call { key throws(PRFDeviceError) in try await key.waitForTouch() }
            return (key, nil)
          } catch {
            return (key, error)
          }
        }
      }
      for await (key, error) in group {
        if let error {
          failures.append(error)
          // A key that is unplugged or broken leaves the choice among the others.
          if ![.interrupted, .touchTimeout].contains(error.code), chosen == nil {
            output.note("keybackup: \(error.message)")
          }
        } else if chosen == nil {
          chosen = key
          group.cancelAll()
        }
      }
    }
    guard let chosen else { throw failures.first ?? .interrupted }
    return chosen
  }
}
