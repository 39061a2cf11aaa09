package import PRFDevice

/// The security keys in reach, and the ways to them.
package struct Devices: Sendable {
  /// Every key that can be opened: plugged in, or on a reader.
  package var connected: @Sendable () async throws(PRFDeviceError) -> [AuthenticatorDescriptor]
  /// The keys that are plugged in and can be opened; cards are not asked.
  package var pluggedIn: @Sendable () throws(PRFDeviceError) -> [AuthenticatorDescriptor]
  /// The key at a path.
  package var at: @Sendable (String) async throws(PRFDeviceError) -> AuthenticatorDescriptor
  /// Waits so long, until the keys satisfy a condition.
  package var wait:
    @Sendable (Duration, @escaping @Sendable ([AuthenticatorDescriptor]) -> Bool)
      async throws(PRFDeviceError) -> [AuthenticatorDescriptor]
  /// The readers and their cards.
  package var readers: @Sendable () async -> ReaderReport
  /// The device files of keys that this user may not open.
  package var inaccessible: @Sendable () -> [String]
  /// Opens a key.
  package var open:
    @Sendable (AuthenticatorDescriptor, Authenticator.Options)
      async throws(PRFDeviceError) -> Authenticator

  /// The keys of this computer.
  package static func system() -> Devices {
    Devices(
      connected: { () async throws(PRFDeviceError) in try await AuthenticatorList.connected() },
      pluggedIn: { () throws(PRFDeviceError) in try AuthenticatorList.pluggedIn() },
      at: { (path) async throws(PRFDeviceError) in
        try await AuthenticatorList.authenticator(at: path)
      },
      wait: { (time, isWanted) async throws(PRFDeviceError) in
        try await AuthenticatorList.wait(upTo: time, until: isWanted)
      },
      readers: { await AuthenticatorList.readers() },
      inaccessible: { AuthenticatorList.inaccessible() },
      open: { (descriptor, options) async throws(PRFDeviceError) in
        try await Authenticator.open(descriptor, options: options)
      })
  }
}
