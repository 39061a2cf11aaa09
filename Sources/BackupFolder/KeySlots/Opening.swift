internal import CSPP
internal import SecretMemory

/// The key slot and secret that opened a namespace in this run.
struct Opening: ~Copyable {
  /// The key slot; nil for another program's envelope and for a cached master key.
  var keyID: KeyID?
  /// The key slot that certainly opened it.
  ///
  /// An envelope names its owner itself, and a newly created slot has opened nothing.
  var provedBy: KeyID?
  /// The slot and its secret, if the caller passed them on.
  var opener: Opener?

  init(keyID: KeyID?) { self.keyID = keyID }
}

/// A key slot and its secret; a security key's secret seals the CSPP envelope for it.
struct Opener: ~Copyable {
  let slot: KeySlot
  /// The header of the file that opened; nil if it was the envelope.
  let header: KeyHeader?
  /// The slot's secret.
  let secret: SecretBytes
}
