internal import CSPP
internal import CommandKit
internal import SecretMemory

/// How to open the backup without this program: every step and every value
/// that the page's owner would need, from docs/format.md.
struct KitSteps {
  let page: KitPage

  func write(_ text: inout PageText) {
    let cost = page.derivation.cost
    text.append(
      "<p>For any programmer. HKDF is HKDF-SHA-256 (RFC 5869), "
        + "32 bytes of output, no salt unless one is named. OPEN is ChaCha20-Poly1305 (RFC 8439), the tag "
        + "in the last 16 bytes. Files are JSON; nonces, salts and IDs in hexadecimal. After a rotation "
        + "of the master key this opens the earlier backup: print a new page.</p><ol class=\"steps\">"
    )
    step(
      &text,
      "password = the first 20 characters of the code, capital letters, without hyphens, as ASCII")
    step(
      &text,
      "derived = Argon2id version 1.3 (RFC 9106) of password; salt \(Hex.string(page.derivation.salt)) "
        + "(hexadecimal), memory \(cost.memoryKiB) KiB, passes \(cost.passes), lanes 1, 32 bytes")
    switch page.derivation.secondSecret {
    case nil: step(&text, "secret = derived")
    case .file: second(&text, "the second secret, all of its bytes")
    case .keyring:
      step(
        &text,
        "second = the 32 bytes that the keyring's entry with the attribute kit = \(page.keyID) shows as "
          + "64 hexadecimal digits")
      second(&text, "second")
    case .securityKey(let rpID, let credential, let salt):
      second(
        &text,
        "the WebAuthn PRF output of credential \(Base64.string(credential, .url)) of \(rpID), with user "
          + "verification, for input \(Hex.string(salt)) (hexadecimal)")
    }
    step(&text, "k = HKDF(secret, info \"keybackup:v1:wrap:\(page.keyID)\")")
    let place = "cspp-namespaces/\(page.namespaceID)"
    step(
      &text,
      "File \(place)/keybackup/keys/\(page.keyID).json"
        + (page.offline == nil ? "" : ", or the offline part")
        + ": master = OPEN(k, nonce, ciphertext from base64, associated data = the characters of "
        + "protected as they stand)")
    step(
      &text,
      "critical = HKDF(master, info \"cspp:v1:critical\"). Right if the first 16 bytes of HKDF(master, "
        + "info \"cspp:v1:namespace-id\") are \(page.namespaceID)")
    step(
      &text,
      "Each file in \(place)/wallets/: w = HKDF(critical, salt wallet_salt, info \"cspp:v1:wallet\"). "
        + "OPEN(w, nonce, ciphertext from base64, no associated data) is JSON. Its metadata.name and "
        + "secret are the wallet")
    text.append("</ol>\n")
  }

  private func second(_ text: inout PageText, _ what: String) {
    step(
      &text,
      "secret = HKDF(derived followed by \(what); info \"keybackup:v1:second-secret:\(page.keyID)\")"
    )
  }

  private func step(_ text: inout PageText, _ words: String) {
    text.append("<li>")
    text.append(unbroken: words)
    text.append("</li>")
  }
}
