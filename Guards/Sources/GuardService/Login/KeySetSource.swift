internal import AsyncHTTPClient
internal import CSPP
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL

/// A source of an issuer's key set, which may be slow, down or hostile.
protocol KeySetSource: Sendable {
  /// The key set, at most ``KeySet/maximumSize`` bytes; nil when it cannot be had.
  func keySet(of issuer: LoginIssuer) async -> [UInt8]?
}

/// The key set as the issuer publishes it: its description of itself says where.
struct PublishedKeySet: KeySetSource {
  /// A file with the authorities to trust, in PEM; nil: those of this system.
  let authorities: String?
  /// The time for both requests together.
  var limit = Duration.seconds(10)

  func keySet(of issuer: LoginIssuer) async -> [UInt8]? {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.minimumTLSVersion = .tlsv12
    if let authorities { tls.trustRoots = .file(authorities) }
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: tls, redirectConfiguration: .disallow,
      timeout: .init(connect: TimeAmount(limit / 2), read: TimeAmount(limit / 2)),
      decompression: .disabled)
    configuration.httpVersion = .http1Only
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    let found = await withTaskGroup(of: [UInt8]?.self) { group in
      group.addTask { await fetch(issuer, client) }
      group.addTask {
        try? await Task.sleep(for: limit)
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
    try? await client.shutdown()
    return found
  }

  private func fetch(_ issuer: LoginIssuer, _ client: HTTPClient) async -> [UInt8]? {
    guard let description = await get(issuer.configurationURL, client),
      let address = Self.address(in: description, of: issuer)
    else { return nil }
    return await get(address, client)
  }

  /// Where the keys are, if the description is the issuer's own.
  static func address(in description: [UInt8], of issuer: LoginIssuer) -> String? {
    let text = unsafe description.span.bytes
    guard let object = try? JSONObject(parsing: text, duplicates: .refusedOnLookup),
      let name = try? object.required("issuer", in: text).text("issuer", in: text),
      let address = try? object.required("jwks_uri", in: text).text("jwks_uri", in: text),
      name == issuer.issuer, LoginIssuer.isAllowedURL(address),
      // An issuer with TLS does not send us elsewhere without it.
      address.hasPrefix("https:") || issuer.issuer.hasPrefix("http:")
    else { return nil }
    return address
  }

  private func get(_ address: String, _ client: HTTPClient) async -> [UInt8]? {
    var request = HTTPClientRequest(url: address)
    request.headers.add(name: "Accept", value: "application/json")
    do {
      let response = try await client.execute(request, timeout: TimeAmount(limit))
      guard response.status == .ok else { return nil }
      return Array((try await response.body.collect(upTo: KeySet.maximumSize)).readableBytesView)
    } catch {
      return nil
    }
  }
}
