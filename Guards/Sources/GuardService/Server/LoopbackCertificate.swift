internal import Crypto
internal import FoundationEssentials
internal import SwiftASN1
internal import X509

/// A certificate for 127.0.0.1, ::1 and localhost, with an authority of its own.
///
/// The authority's private key is never written: it signs this one certificate and is gone. So the
/// file that a client is told to trust can vouch for nothing else.
struct LoopbackCertificate {
  /// The days for which it is valid; it is made again when the last 30 begin.
  static let days = 3650.0

  /// The authority's certificate, the server's certificate, and the server's key, in PEM.
  let authority: String
  let certificate: String
  let key: String

  /// Makes one.
  ///
  /// - Parameter now: the time.
  /// - Throws: where the libraries fail, which random numbers are no reason for.
  init(now: Date) throws {
    let authorityKey = P256.Signing.PrivateKey()
    let serverKey = P256.Signing.PrivateKey()
    // A name of its own, so that a client may trust the authorities of several guards.
    let name = "keybackup-guard \(UUID().uuidString.lowercased())"
    let authorityName = try DistinguishedName { CommonName(name) }
    let authority = try Self.certificate(
      of: authorityKey, named: authorityName, by: authorityKey, named: authorityName, now,
      Certificate.Extensions {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
        Critical(KeyUsage(keyCertSign: true))
        SubjectKeyIdentifier(hash: Certificate.PublicKey(authorityKey.publicKey))
      })
    let own = try Self.certificate(
      of: serverKey, named: DistinguishedName { CommonName("localhost") }, by: authorityKey,
      named: authorityName, now,
      Certificate.Extensions {
        Critical(BasicConstraints.notCertificateAuthority)
        Critical(KeyUsage(digitalSignature: true))
        try ExtendedKeyUsage([.serverAuth])
        SubjectAlternativeNames([
          .dnsName("localhost"),
          .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
          .ipAddress(
            ASN1OctetString(contentBytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])),
        ])
      })
    self.authority = try authority.serializeAsPEM().pemString + "\n"
    certificate = try own.serializeAsPEM().pemString + "\n"
    key = serverKey.pemRepresentation + "\n"
  }

  /// Whether a certificate in PEM will be valid for 30 days.
  static func isValid(_ pem: String, at now: Date) -> Bool {
    guard let certificate = try? Certificate(pemEncoded: pem) else { return false }
    return certificate.notValidBefore <= now
      && now.addingTimeInterval(30 * 86_400) < certificate.notValidAfter
  }

  private static func certificate(
    of key: P256.Signing.PrivateKey, named name: DistinguishedName,
    by issuer: P256.Signing.PrivateKey, named issuerName: DistinguishedName, _ now: Date,
    _ extensions: Certificate.Extensions
  ) throws -> Certificate {
    try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(),
      publicKey: Certificate.PublicKey(key.publicKey),
      // A day back, for clients whose clock is behind.
      notValidBefore: now.addingTimeInterval(-86_400),
      notValidAfter: now.addingTimeInterval(days * 86_400), issuer: issuerName, subject: name,
      signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions,
      issuerPrivateKey: Certificate.PrivateKey(issuer))
  }
}
