internal import GuardService

extension GuardToolError {
  /// A server that does not start, or ended.
  init(_ error: GuardServerError) {
    switch error {
    case .needsCertificate:
      self.init(
        .config, "other computers cannot trust the certificate that a guard makes for itself",
        hint: "give your own with --certificate FILE --key FILE\n"
          + "or serve a reverse proxy with --plain --listen 127.0.0.1:8443")
    case .plainBeyondThisComputer:
      self.init(
        .config, "plain HTTP is served on this computer only",
        hint: "listen on 127.0.0.1, [::1] or unix:PATH, and let a reverse proxy do TLS")
    case .socketIsPlain:
      self.init(.usage, "a Unix socket is served without TLS", hint: "add --plain")
    case .invalidProxy(let name):
      self.init(
        .usage, "the proxy \(name) is no IP address", hint: "give an IP address, or unix")
    case .cannotListen(let address, let number):
      let isDenied = number == 13
      self.init(
        isDenied ? .permissionDenied : .unavailable,
        "cannot listen on \(address.text): \(GuardStreams.words(number))",
        hint: isDenied
          ? "take a port above 1023" : "stop the other program, or take another port with --listen")
    case .unreadable(let file, let number):
      self.init(
        number == 13 ? .permissionDenied : .config,
        "cannot read \(file): \(GuardStreams.words(number))",
        hint: "let the user who runs the guard read it, or name another file")
    case .invalidCertificate(let file):
      self.init(
        .dataInvalid, "\(file) and its key are no certificate in PEM, or do not belong together",
        hint: "give the certificate with its chain in one file, and its private key in another")
    case .cannotMakeCertificate(let folder):
      self.init(
        .cannotCreate, "the certificate for this computer cannot be made in \(folder)",
        hint: "look at the folder's owner, and at the free space")
    case .ended(let reason):
      self.init(.io, "the server ended: \(reason)")
    }
  }
}
