internal import FoundationEssentials
internal import Glibc
internal import NIOSSL
internal import SecretMemory

/// The server's certificate and key, from files.
struct ServerCertificate {
  /// The file with the certificate and its chain, in PEM.
  let certificate: String
  /// The file with its private key, in PEM.
  let key: String
  /// The file with the authority that a client must be told to trust; nil: it knows it already.
  let authority: String?

  /// Finds the files, or makes them.
  ///
  /// - Returns: nil for plain HTTP.
  /// - Throws: ``GuardServerError/cannotMakeCertificate(_:)``.
  static func find(_ tls: GuardServerSettings.TLS) throws(GuardServerError) -> ServerCertificate? {
    switch tls {
    case .none: return nil
    case .files(let certificate, let key):
      return ServerCertificate(certificate: certificate, key: key, authority: nil)
    case .loopback(let folder):
      let files = ServerCertificate(
        certificate: folder + "/certificate.pem", key: folder + "/key.pem",
        authority: folder + "/ca.pem")
      do { try files.makeIfNeeded(in: folder) } catch { throw .cannotMakeCertificate(folder) }
      return files
    }
  }

  /// Reads the files.
  ///
  /// - Throws: ``GuardServerError/unreadable(_:errno:)``,
  ///   ``GuardServerError/invalidCertificate(_:)``.
  func load() throws(GuardServerError) -> NIOSSLContext {
    for file in [certificate, key] where unsafe access(file, R_OK) != 0 {
      throw .unreadable(file, errno: errno)
    }
    do {
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
        privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
      configuration.minimumTLSVersion = .tlsv12
      return try NIOSSLContext(configuration: configuration)
    } catch {
      throw .invalidCertificate(certificate)
    }
  }

  private func makeIfNeeded(in folder: String) throws {
    let now = Date()
    if unsafe access(key, R_OK) == 0, let authority, unsafe access(authority, R_OK) == 0,
      let pem = try? String(contentsOfFile: certificate, encoding: .utf8),
      LoopbackCertificate.isValid(pem, at: now)
    {
      return
    }
    let made = try LoopbackCertificate(now: now)
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try Self.write(made.key, to: key, mode: 0o600)
    try Self.write(made.authority, to: authority ?? "", mode: 0o644)
    // Last: it says that the other two are there.
    try Self.write(made.certificate, to: certificate, mode: 0o644)
  }

  /// Writes a file under another name, then gives it its own: a server that starts meanwhile reads
  /// the old or the new one.
  private static func write(_ text: String, to path: String, mode: mode_t) throws {
    // A name that no other process takes: two may make the certificate at the same time.
    let part = path + "." + Hex.string(Randomness.bytes(count: 8)) + ".part"
    let file = unsafe open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard file >= 0 else { throw CocoaError(.fileWriteUnknown) }
    let bytes = Array(text.utf8)
    let written = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.write(file, $0.baseAddress, $0.count)
    }
    let isWritten = written == bytes.count && fchmod(file, mode) == 0 && fsync(file) == 0
    guard close(file) == 0, isWritten, unsafe rename(part, path) == 0 else {
      _ = unsafe unlink(part)
      throw CocoaError(.fileWriteUnknown)
    }
  }
}
