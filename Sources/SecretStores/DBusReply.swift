internal import CSystemd
internal import SecretMemory

/// A received message, which is wiped afterwards because it may hold a secret.
///
/// Its values are read in their order. libsystemd checks each of them.
@safe struct DBusReply: ~Copyable {
  private let sdBus: keybackup_sd_bus
  private let message: OpaquePointer

  /// Takes over a received message.
  init(_ sdBus: keybackup_sd_bus, _ message: OpaquePointer) {
    self.sdBus = sdBus
    unsafe self.message = message
    unsafe _ = sdBus.sd_bus_message_sensitive(message)
  }

  deinit { unsafe _ = sdBus.sd_bus_message_unref(message) }

  // MARK: The header

  /// The number of the call that it answers.
  var replySerial: UInt64? {
    var serial: UInt64 = 0
    return unsafe sdBus.sd_bus_message_get_reply_cookie(message, &serial) < 0 ? nil : serial
  }

  /// The name of the error that it reports.
  var errorName: String? {
    guard let error = unsafe sdBus.sd_bus_message_get_error(message),
      let name = unsafe error.pointee.name
    else { return nil }
    return unsafe String(cString: name)
  }

  /// Whether this is a signal of an object.
  func isSignal(_ member: String, from path: String) -> Bool {
    guard unsafe sdBus.sd_bus_message_is_signal(message, nil, member) > 0,
      let sender = unsafe sdBus.sd_bus_message_get_path(message)
    else { return false }
    return unsafe String(cString: sender) == path
  }

  /// Checks the types of all values; others are a violation of the protocol.
  func expect(_ signature: String) throws(SecretStoreError) {
    guard let found = unsafe sdBus.sd_bus_message_get_signature(message, 1),
      unsafe String(cString: found) == signature
    else { throw .protocolViolation("signature \(signature)") }
  }

  // MARK: Values

  /// Reads a truth value.
  func flag() throws(SecretStoreError) -> Bool {
    var value: Int32 = 0
    try require(unsafe sdBus.sd_bus_message_read_basic(message, CChar(ascii: "b"), &value))
    return value != 0
  }

  /// Reads an object path.
  func path() throws(SecretStoreError) -> String {
    guard let path = try nextPath() else { throw .protocolViolation("cut off") }
    return path
  }

  /// Reads an array of object paths.
  func paths() throws(SecretStoreError) -> [String] {
    try require(unsafe sdBus.sd_bus_message_enter_container(message, CChar(ascii: "a"), "o"))
    var paths: [String] = []
    while let path = try nextPath() { paths.append(path) }
    try SystemdBus.check(unsafe sdBus.sd_bus_message_exit_container(message))
    return paths
  }

  /// Reads an object path; nil at the end of an array.
  private func nextPath() throws(SecretStoreError) -> String? {
    var text: UnsafePointer<CChar>?
    let result = unsafe sdBus.sd_bus_message_read_basic(message, CChar(ascii: "o"), &text)
    try SystemdBus.check(result)
    guard result > 0, let text = unsafe text else { return nil }
    return unsafe String(cString: text)
  }

  /// Skips values of these types.
  func skip(_ types: String) throws(SecretStoreError) {
    try require(unsafe sdBus.sd_bus_message_skip(message, types))
  }

  /// Reads the values of a structure.
  func structure(_ types: String) throws(SecretStoreError) {
    try require(unsafe sdBus.sd_bus_message_enter_container(message, CChar(ascii: "r"), types))
  }

  /// Reads an array of bytes into guarded memory.
  func secret() throws(SecretStoreError) -> SecretBytes {
    var bytes: UnsafeRawPointer?
    var count = 0
    try require(
      unsafe sdBus.sd_bus_message_read_array(message, CChar(ascii: "y"), &bytes, &count))
    guard count > 0, let bytes = unsafe bytes else { return SecretBytes(zeroed: 0) }
    return unsafe SecretBytes(copying: RawSpan(_unsafeStart: bytes, byteCount: count))
  }

  /// Throws if a value was not there.
  private func require(_ result: Int32) throws(SecretStoreError) {
    try SystemdBus.check(result)
    if result == 0 { throw .protocolViolation("cut off") }
  }
}
