import AsyncHTTPClient
import CSPP
import Foundation
import GuardProtocol
import NIOCore
import NIOHTTP1
import NIOSSL
import SecretMemory
import Synchronization
import TestSupport
import Testing

/// `keybackup-guard serve`, the real program, on loopback.
final class ServedGuard: Sendable {
  /// The line that it prints when it listens.
  struct Line: Decodable, Sendable {
    let schema: Int
    let listening: String
    let guardId: String
    let url: String?
    let ca: String?
  }

  /// Where it keeps its state, and its log.
  let folder: TestFolder
  let line: Line
  let guardID: GuardID
  private let process: Mutex<Process>
  private let client: HTTPClient

  static let program = BuiltProduct.path("keybackup-guard")

  private init(_ folder: TestFolder, _ process: Process, _ line: Line) throws {
    self.folder = folder
    self.line = line
    guardID = try #require(GuardID(hex: line.guardId))
    self.process = Mutex(process)
    var tls = TLSConfiguration.makeClientConfiguration()
    if let ca = line.ca { tls.trustRoots = .file(ca) }
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: tls, redirectConfiguration: .disallow,
      timeout: .init(
        connect: .seconds(Int64(Backstop.seconds)), read: .seconds(Int64(Backstop.seconds))))
    configuration.httpVersion = .http1Only
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  deinit {
    process.withLock { if $0.isRunning { kill($0.processIdentifier, SIGKILL) } }
    client.shutdown { _ in }
  }

  /// Starts one, with its state in a folder that may be an earlier one's.
  static func start(
    _ options: [String] = ["--open"], in folder: TestFolder? = nil,
    environment: [String: String] = [:]
  ) async throws -> ServedGuard {
    let folder = try folder ?? TestFolder()
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments =
      ["serve", "--json", "--state", folder.path, "--listen", "127.0.0.1:0", "--rate", "0"]
      + options
    process.environment = environment.merging(["HOME": folder.path]) { own, _ in own }
    let log = folder.path + "/log"
    if !FileManager.default.fileExists(atPath: log) {
      try Data().write(to: URL(filePath: log))
    }
    let errors = try #require(FileHandle(forWritingAtPath: log))
    errors.seekToEndOfFile()
    process.standardError = errors
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    var text = Data()
    while !text.contains(UInt8(ascii: "\n")) {
      let more = output.fileHandleForReading.availableData
      let said = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
      try #require(!more.isEmpty, "\(said)")
      text += more
    }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try ServedGuard(folder, process, decoder.decode(Line.self, from: text))
  }

  /// Its port on 127.0.0.1.
  var port: Int { Int(line.listening.split(separator: ":").last ?? "") ?? 0 }
  var identifier: pid_t { process.withLock { $0.processIdentifier } }
  /// What it wrote to standard error.
  var log: String { (try? String(contentsOfFile: folder.path + "/log", encoding: .utf8)) ?? "" }

  func send(signal: Int32) { kill(identifier, signal) }

  /// The exit code, after SIGTERM or by itself.
  func end(terminating: Bool = true) async -> Int32 {
    if terminating { send(signal: SIGTERM) }
    while process.withLock({ $0.isRunning }) { try? await Task.sleep(for: .milliseconds(20)) }
    return process.withLock { $0.terminationStatus }
  }

  // MARK: Requests

  struct Answer: Equatable, Sendable {
    let status: Int
    let body: [UInt8]
    var text: String { String(decoding: body, as: UTF8.self) }
    func read<Message: GuardMessage>(_: Message.Type = Message.self) throws -> Message {
      try #require(status == 200, "\(status) \(text)")
      return try unsafe Message(parsing: body.span.bytes)
    }
  }

  /// Any request.
  func request(
    _ method: String, _ path: String, body: [UInt8] = [], headers: [(String, String)] = []
  ) async throws -> (answer: Answer, headers: [String: String]) {
    let scheme = line.ca == nil ? "http" : "https"
    var request = HTTPClientRequest(url: "\(scheme)://127.0.0.1:\(port)\(path)")
    request.method = .init(rawValue: method)
    for (name, value) in headers { request.headers.add(name: name, value: value) }
    if method != "GET" { request.body = .bytes(ByteBuffer(bytes: body)) }
    let response = try await client.execute(request, timeout: .seconds(Int64(Backstop.seconds)))
    let bytes = try await response.body.collect(upTo: 1 << 20)
    return (
      Answer(status: Int(response.status.code), body: Array(bytes.readableBytesView)),
      Dictionary(response.headers.map { ($0.name.lowercased(), $0.value) }) { $1 }
    )
  }

  /// A call, signed.
  func call(
    _ call: GuardCall, _ message: some GuardMessage, by signer: borrowing GuardSigner
  ) async throws -> Answer {
    let body = message.body
    let signature = GuardSignature(call, body: body, guardID: guardID, by: signer)
    return try await request(
      call.method, call.path, body: body,
      headers: [
        (GuardSignature.keyHeader, signature.key.hex),
        (GuardSignature.signatureHeader, signature.signatureText),
      ]
    ).answer
  }
}

/// The keys of an account of a test.
struct TestAccount: ~Copyable, Sendable {
  let ask: GuardSigner
  let reset: GuardSigner
  let owner: GuardSigner

  init(_ seed: UInt8) throws {
    let ask = try Self.signer(seed, role: 1)
    let reset = try Self.signer(seed, role: 2)
    let owner = try Self.signer(seed, role: 3)
    self.ask = ask
    self.reset = reset
    self.owner = owner
  }

  private static func signer(_ seed: UInt8, role: UInt8) throws -> GuardSigner {
    let bytes = [UInt8](repeating: seed, count: 31) + [role]
    return try GuardSigner(seed: unsafe SecretBytes(copying: bytes.span.bytes))
  }

  var id: GuardAccountID { GuardAccountID(of: ask.publicKey) }

  func pinRequest(invite: String? = nil) -> CreateAccountRequest {
    CreateAccountRequest(
      invite: invite, resetKey: reset.publicKey, ownerKey: owner.publicKey, kind: .pin(.pin))
  }
}
