internal import CSPP
internal import SecretMemory

/// What opened a namespace in this run.
struct Opening: ~Copyable {
  /// The key slot; nil for another program's envelope, and for a master key that this
  /// computer knew.
  var keyID: KeyID?
  /// The key slot of which it is certain: an envelope says itself whose it is, and one
  /// that was only made opened nothing.
  var provedBy: KeyID?
  /// Its secret, as far as it was said.
  var opener: Opener?

  init(keyID: KeyID?) { self.keyID = keyID }
}

/// A key slot and its secret: a security key's answer seals the CSPP envelope for
/// it.
struct Opener: ~Copyable {
  let slot: KeySlot
  /// What the file that opened says of itself; nil if it was the envelope.
  let header: KeyHeader?
  /// The slot's secret.
  let secret: SecretBytes
}
