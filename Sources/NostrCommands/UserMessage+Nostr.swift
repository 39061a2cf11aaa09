package import CommandKit
package import Nostr

extension UserMessage {
  /// The message for a Nostr error.
  package init(_ error: NostrError) {
    self =
      switch error {
      case .invalidSecretKey:
        UserMessage(
          .dataInvalid, "this is no secret key of the curve",
          hint: "if a security key gave it, choose another --index")
      case .invalidPublicKey:
        UserMessage(.dataInvalid, "this is no public key: no point of the curve has it")
      case .invalidBech32(let reason):
        UserMessage(
          .dataInvalid, "this is no npub or nsec: \(reason)", hint: "copy it again, all of it")
      case .wrongPrefix(found: "ncryptsec"):
        UserMessage(
          .dataInvalid, "this is a secret key encrypted with a password (NIP-49)",
          hint: "decrypt it in the program that made it; that gives an nsec")
      case .wrongPrefix(found: "nprofile"):
        UserMessage(
          .dataInvalid, "this is an nprofile, not an npub or nsec",
          hint: "give the npub that the profile shows")
      case .wrongPrefix(let found):
        UserMessage(
          .dataInvalid, "this is a \(PrintableText.name(found, limit: 20)), not an npub or nsec")
      case .wrongLength:
        UserMessage(.dataInvalid, "a Nostr key has 32 bytes", hint: "that is 64 hex digits")
      case .invalidEvent(let reason):
        UserMessage(
          .dataInvalid, "the event cannot be signed: \(reason)",
          hint: "give a JSON object with kind and content; tags, created_at and pubkey are optional"
        )
      case .otherPublicKey:
        UserMessage(
          .wrongKey, "the event names another public key than the one that would sign it",
          hint: "leave out its pubkey, or choose the identity that it names")
      case .invalidIdentity:
        UserMessage(.dataInvalid, "a remembered identity is damaged")
      case .internalError(let what):
        UserMessage(.internalError, "a fault in keybackup: \(what)")
      }
  }
}
