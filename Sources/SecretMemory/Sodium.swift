internal import CSodium

/// Initialises libsodium, once per process.
enum Sodium {
  private static let ready: Bool = sodium_init() >= 0

  /// Must be called before the first use of guarded memory or random bytes.
  static func start() {
    precondition(ready, "libsodium found no random source")
  }
}
