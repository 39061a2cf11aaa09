import FoundationEssentials
import TestSupport

/// A server that misbehaves as the path tells it to (Tests/guards/hostile-server).
public struct HostileServer: Sendable {
  /// The certificates of its HTTPS ports.
  public let certificates: TestCertificates
  private let ports: [String: Int]
  private let program: LineProgram

  /// Starts a server on 127.0.0.1.
  ///
  /// - Throws: where it does not start.
  public init() async throws {
    certificates = try TestCertificates(makes: false)
    program = try LineProgram([
      GuardScript.python, "-B", GuardScript.path("hostile-server"), certificates.folder,
    ])
    ports = try await GuardScript.description(program, as: [String: Int].self)
  }

  /// The URL below which one behaviour is.
  public func url(_ behaviour: String) -> String { "http://127.0.0.1:\(port("http"))/\(behaviour)" }

  /// The port with a certificate of that name.
  public func port(_ name: String) -> Int { ports[name] ?? 0 }
}

/// Certificates for tests, in a folder that goes with the value (Tests/guards/certificates.py).
public final class TestCertificates: Sendable {
  /// The folder.
  public let folder: String

  /// Makes a folder.
  ///
  /// - Parameter makes: whether the certificates are made, too.
  /// - Throws: where that fails.
  public init(makes: Bool = true) throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "keybackup-certificates-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    self.folder = folder.path
    guard makes else { return }
    let run = try FinishedProgram([
      GuardScript.python, "-B", GuardScript.path("certificates.py"), self.folder,
    ])
    guard run.code == 0 else { throw LineProgram.Failure(description: run.output) }
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// The path of a file.
  public func path(_ name: String) -> String { "\(folder)/\(name)" }

  /// The file with the authority that signed them.
  public var authority: String { path("ca.pem") }
}
