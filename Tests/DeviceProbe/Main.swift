import Glibc
import PRFDevice
import SecretMemory

/// Uses PRFDevice on every `/dev/hidraw*` it sees, and prints what happened.
///
/// A test can run it where `virtual-key` shows it simulated keys.
@main
struct DeviceProbe {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      print(try await run(arguments.first ?? "", arguments.dropFirst().first))
    } catch {
      print("error: \(error)")
    }
  }

  private static func run(
    _ command: String, _ argument: String?
  ) async throws(PRFDeviceError) -> String {
    let limit = Duration.milliseconds(argument.flatMap(Int.init) ?? 0)
    switch command {
    case "list":
      return describe(try await AuthenticatorList.connected())
    case "inaccessible":
      return AuthenticatorList.inaccessible().joined(separator: " ")
    case "at":
      return describe([try await AuthenticatorList.authenticator(at: argument ?? "")])
    case "wait":
      return describe(try await AuthenticatorList.waitForOne(upTo: limit))
    case "wait-for-two":
      return describe(try await AuthenticatorList.wait(upTo: limit) { $0.count == 2 })
    case "cancel-wait":
      let task = Task { () -> Result<String, PRFDeviceError> in
        do throws(PRFDeviceError) {
          return .success(describe(try await AuthenticatorList.waitForOne(upTo: .seconds(60))))
        } catch {
          return .failure(error)
        }
      }
      try? await Task.sleep(for: .milliseconds(50))
      task.cancel()
      return try await task.value.get()
    case "retries":
      return String(try await open().pinRetries())
    case "evaluate":
      return try await evaluate(timeout: argument == nil ? .seconds(10) : limit)
    case "reopen":
      return try await reopen(times: argument.flatMap(Int.init) ?? 0)
    case "leftovers":
      return try await leftovers()
    default:
      throw .invalidInput("command")
    }
  }

  private static func describe(_ found: [AuthenticatorDescriptor]) -> String {
    found.map { "\($0.path) \($0.product) \($0.transport)" }.joined(separator: ", ")
  }

  private static func open(
    timeout: Duration = .seconds(10)
  ) async throws(PRFDeviceError) -> Authenticator {
    guard let first = try await AuthenticatorList.connected().first else { throw .noAuthenticator }
    var options = Authenticator.Options()
    options.touchTimeout = timeout
    return try await Authenticator.open(first, options: options)
  }

  /// Opens and closes a key again and again, and each time looks for a key that is not there.
  ///
  /// - Returns: the numbers of files and threads that are left over.
  private static func reopen(times: Int) async throws(PRFDeviceError) -> String {
    func use() async throws(PRFDeviceError) {
      let authenticator = try await open()
      _ = try await authenticator.pinRetries()
      await authenticator.close()
      do throws(PRFDeviceError) {
        _ = try await AuthenticatorList.wait(upTo: .zero) { $0.count > 1 }
      } catch .noAuthenticator {
        return
      }
    }
    // The first uses create things that stay: those are no leak.
    for _ in 0..<10 { try await use() }
    let (files, threads) = (entries("/proc/self/fd"), entries("/proc/self/task"))
    for _ in 0..<times { try await use() }
    // A thread takes a moment to end.
    for _ in 0..<30_000 where entries("/proc/self/task") > threads {
      try? await Task.sleep(for: .milliseconds(20))
    }
    let more = (entries("/proc/self/fd") - files, entries("/proc/self/task") - threads)
    return "files \(max(0, more.0)), threads \(max(0, more.1))"
  }

  private static func entries(_ folder: String) -> Int {
    guard let directory = unsafe opendir(folder) else { return 0 }
    defer { unsafe closedir(directory) }
    var count = 0
    while unsafe readdir(directory) != nil { count += 1 }
    return count
  }

  /// Sets a PIN, makes a credential and evaluates it; then looks for the PIN and the output in this
  /// process's memory.
  private static func leftovers() async throws(PRFDeviceError) -> String {
    let masks = try await useSecrets()
    guard masks.wereFound else { return "the search finds nothing" }
    return "PIN \(MemorySearch.count(masks.pin)), output \(MemorySearch.count(masks.output))"
  }

  private static func useSecrets() async throws(PRFDeviceError) -> (
    pin: [UInt8], output: [UInt8], wereFound: Bool
  ) {
    let authenticator = try await open()
    // Computed in place: a literal would stay in memory.
    let secret = SecretBytes(count: 40) { target in
      for offset in 0..<40 {
        target.storeBytes(of: UInt8(0x41 + offset * 7 % 26), toByteOffset: offset, as: UInt8.self)
      }
    }
    let pin = try PIN(secret)
    try await authenticator.setPIN(pin)
    let request = CredentialRequest(
      rpID: "keybackup:", rpName: "", userName: "", userDisplayName: "", isDiscoverable: true)
    _ = try await authenticator.createCredential(request, pin: pin)
    let evaluations = try await authenticator.evaluate(
      PRFRequest(rpID: "keybackup:", first: .webAuthn([])), pin: pin)
    let pinMask = MemorySearch.mask(secret)
    let outputMask = evaluations.first.map { MemorySearch.mask($0.first()) } ?? []
    // The search is worth something only if it finds them while they are held.
    let wereFound = MemorySearch.count(outputMask) > 0 && MemorySearch.count(pinMask) > 0
    await authenticator.close()
    return (pinMask, outputMask, wereFound)
  }

  /// Makes a credential and evaluates it twice.
  private static func evaluate(timeout: Duration) async throws(PRFDeviceError) -> String {
    let authenticator = try await open(timeout: timeout)
    let pin = try PIN(SecretBytes(copying: unsafe Array("1234".utf8).span.bytes))
    let id = try await authenticator.createCredential(
      CredentialRequest(
        rpID: "keybackup:", rpName: "keybackup", userName: "probe", userDisplayName: "probe",
        isDiscoverable: false), pin: pin
    ).id
    guard try await authenticator.holds([id], rpID: "keybackup:") == .yes(id) else {
      return "not held"
    }
    let request = PRFRequest(
      rpID: "keybackup:", credentialIDs: [id], first: .webAuthn([1]), second: .webAuthn([2]))
    guard let once = try await authenticator.evaluate(request, pin: pin).first,
      let again = try await authenticator.evaluate(request, pin: pin).first
    else { return "no answer" }
    return once.first().isEqual(to: again.first()) && once.hasSecond ? "stable" : "unstable"
  }
}
