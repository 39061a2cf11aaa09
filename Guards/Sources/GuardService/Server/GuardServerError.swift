/// The reasons for which a server does not start, or ends.
public enum GuardServerError: Error, Equatable, Sendable {
  /// It is to listen on an address of the network, without a certificate.
  case needsCertificate
  /// It is to serve plain HTTP on an address of the network.
  case plainBeyondThisComputer
  /// A Unix socket is served without TLS only.
  case socketIsPlain
  /// A forwarder is no IP address.
  case invalidProxy(String)
  /// The system refuses to listen, with this `errno`.
  case cannotListen(ListenAddress, errno: Int32)
  /// A file of the certificate cannot be read, with this `errno`.
  case unreadable(String, errno: Int32)
  /// A file holds no certificate or key in PEM, or the two do not belong together.
  case invalidCertificate(String)
  /// The certificate for this computer cannot be made in this folder.
  case cannotMakeCertificate(String)
  /// The server ended by itself; the text is the library's.
  case ended(String)
}
