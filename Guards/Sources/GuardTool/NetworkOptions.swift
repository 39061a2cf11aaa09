internal import ArgumentParser
internal import GuardService

/// Where the server listens, and whom it believes.
struct NetworkOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Listen here: an IP address and port, or unix:PATH. Port 0: any free one.",
      valueName: "address:port"))
  var listen = "127.0.0.1:8443"

  @Option(
    name: .customLong("url"), parsing: .singleValue,
    help: ArgumentHelp(
      "A URL at which clients reach the guard. May be given several times.", valueName: "url"))
  var urls: [String] = []

  @Option(
    help: ArgumentHelp("The server's certificate and its chain, in PEM.", valueName: "file"))
  var certificate: String?

  @Option(help: ArgumentHelp("The certificate's private key, in PEM.", valueName: "file"))
  var key: String?

  @Flag(help: "Serve plain HTTP, for a reverse proxy on this computer that does TLS.")
  var plain = false

  @Option(
    name: .customLong("proxy"), parsing: .singleValue,
    help: ArgumentHelp(
      "A reverse proxy whose X-Forwarded-For counts: its IP address, or unix. May be given "
        + "several times.", valueName: "address"))
  var proxies: [String] = []

  @Option(
    help: ArgumentHelp(
      "The requests a minute of one client; 0: no limit.", valueName: "requests"))
  var rate = 600

  @Option(
    help: ArgumentHelp(
      "The seconds for one request and its answer, and between two of a connection.",
      valueName: "seconds"))
  var timeout = 30

  func validate() throws {
    guard (certificate == nil) == (key == nil) else {
      throw ValidationError("--certificate and --key belong together")
    }
    guard certificate == nil || !plain else {
      throw ValidationError("--plain serves without a certificate")
    }
    guard (0...1_000_000).contains(rate) else {
      throw ValidationError("--rate is a number from 0 to 1000000")
    }
    guard (1...600).contains(timeout) else {
      throw ValidationError("--timeout is a number from 1 to 600")
    }
    guard ListenAddress(listen) != nil else {
      throw ValidationError(
        "--listen takes an IP address and a port, such as 127.0.0.1:8443 or [::1]:8443, or "
          + "unix:/PATH")
    }
    guard urls.count <= 16 else { throw ValidationError("a guard can have at most 16 URLs") }
    for url in urls where !LoginIssuer.isAllowedURL(url) {
      throw ValidationError("--url takes https://..., or http:// with a loopback address: \(url)")
    }
  }

  /// The server's settings.
  func settings(folder: String, isQuiet: Bool) throws(GuardToolError) -> GuardServerSettings {
    guard let address = ListenAddress(listen) else {
      throw GuardToolError(.usage, "--listen is no address and port: \(listen)")
    }
    let tls: GuardServerSettings.TLS =
      if plain {
        .none
      } else if let certificate, let key {
        .files(
          certificate: StateOptions.absolute(certificate), key: StateOptions.absolute(key))
      } else {
        .loopback(folder: folder + "/tls")
      }
    var settings = GuardServerSettings(
      listen: address, tls: tls, proxies: proxies, requestsPerMinute: rate, stateFolder: folder,
      isQuiet: isQuiet)
    settings.requestSeconds = Int64(timeout)
    return settings
  }
}
