import FoundationEssentials
import Glibc
import Synchronization

/// The data that a key keeps without power.
struct KeyState: Codable, Sendable, Equatable {
  /// The key from which every non-discoverable credential is derived; new after a reset.
  var rootKey = [UInt8].random(32)
  /// LEFT(SHA-256(PIN), 16); nil while no PIN is set.
  var pinHash: [UInt8]?
  var pinLength = 0
  /// Whether somebody else chose the PIN, so that it is accepted only for a change.
  var mustChangePIN = false
  var pinRetries = KeyState.maximumPINRetries
  var verificationRetries = KeyState.maximumVerificationRetries
  var signatureCount: UInt32 = 0
  /// The credentials, oldest first.
  var credentials: [Credential] = []

  static let maximumPINRetries = 8
  static let maximumVerificationRetries = 3
}

/// A key's memory.
///
/// It is shared by the sessions that a test opens one after another, as a key keeps its credentials
/// when it is unplugged. If a file was named, it is stored there.
public final class KeyStore: Sendable {
  private let state: Mutex<KeyState>
  private let path: String?

  /// Whether this memory did not exist before.
  public let isNew: Bool

  /// Creates a memory that ends with the process.
  init(_ state: KeyState) {
    self.state = Mutex(state)
    path = nil
    isNew = true
  }

  /// Creates a new, empty memory that ends with the process.
  public init() {
    state = Mutex(KeyState())
    path = nil
    isNew = true
  }

  /// Reads the memory from the file at `path` (JSON); creates a new one if there is no such file.
  ///
  /// - Throws: `VirtualKeyError.unreadableState` if the file is not a key's memory.
  public init(path: String) throws(VirtualKeyError) {
    self.path = path
    guard unsafe access(path, F_OK) == 0 else {
      state = Mutex(KeyState())
      isNew = true
      return
    }
    do {
      let data = try Data(contentsOf: URL(filePath: path))
      state = Mutex(try JSONDecoder().decode(KeyState.self, from: data))
      isNew = false
    } catch {
      throw .unreadableState(path)
    }
  }

  /// Sets the PIN as if it had been set over USB.
  ///
  /// - Throws: `VirtualKeyError.unwritableState` if it cannot be saved.
  public func setPIN(_ pin: String) throws(VirtualKeyError) {
    try update { $0.setPIN(Array(pin.utf8)) }
  }

  /// Sets the number of wrong PINs until the key blocks itself.
  ///
  /// - Throws: `VirtualKeyError.unwritableState` if it cannot be saved.
  public func setPINRetries(_ retries: Int) throws(VirtualKeyError) {
    try update { $0.pinRetries = min(retries, KeyState.maximumPINRetries) }
  }

  /// Makes the key require a PIN change before anything else.
  ///
  /// - Throws: `VirtualKeyError.unwritableState` if it cannot be saved.
  public func requirePINChange() throws(VirtualKeyError) {
    try update { $0.mustChangePIN = true }
  }

  /// Adds a discoverable credential from elsewhere, so that data sealed by another key can be
  /// opened.
  ///
  /// Adding the same credential again changes nothing.
  ///
  /// - Throws: `VirtualKeyError.unwritableState` if it cannot be saved.
  public func add(_ imported: ImportedCredential) throws(VirtualKeyError) {
    let credential = Credential(imported)
    try update { state in
      state.credentials.removeAll { $0.id == credential.id }
      state.credentials.append(credential)
    }
  }

  /// A copy of the whole memory.
  var snapshot: KeyState { state.withLock { $0 } }

  /// Changes the memory and saves it.
  func update<Result: Sendable>(
    _ change: (inout KeyState) -> Result
  ) throws(VirtualKeyError) -> Result {
    let result = state.withLock { state in
      let result = change(&state)
      return (result, saved: save(state))
    }
    guard result.saved else { throw .unwritableState(path ?? "") }
    return result.0
  }

  private func save(_ state: KeyState) -> Bool {
    guard let path else { return true }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    do {
      try encoder.encode(state).write(to: URL(filePath: path), options: .atomic)
      return true
    } catch {
      return false
    }
  }
}

/// The errors outside the simulated key itself.
public enum VirtualKeyError: Error, Equatable {
  /// The state file exists but is not one.
  case unreadableState(String)
  /// The state file cannot be written.
  case unwritableState(String)
  /// The description of a credential to import is invalid.
  case badCredential(String)
  /// The system refused a descriptor or a thread.
  case system(operation: String, errno: Int32)
}
