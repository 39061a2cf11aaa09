internal import CSystemd
internal import Glibc
internal import SecretMemory

/// A method call to be sent, in memory that is wiped afterwards.
///
/// A value that does not fit makes sending the call fail.
@safe struct DBusCall: ~Copyable {
  private let sdBus: keybackup_sd_bus
  private let message: OpaquePointer
  private var failure: Int32 = 0
  /// The types of the values before the structure with a secret.
  private var typesBeforeSecret: String?

  /// Takes over a new message.
  init(_ sdBus: keybackup_sd_bus, _ message: OpaquePointer) {
    self.sdBus = sdBus
    unsafe self.message = message
    note(unsafe sdBus.sd_bus_message_sensitive(message))
  }

  deinit { unsafe _ = sdBus.sd_bus_message_unref(message) }

  private mutating func note(_ result: Int32) { if result < 0, failure == 0 { failure = result } }

  // MARK: Values

  /// Appends a string, or with the type `o` an object path.
  mutating func put(_ text: String, _ type: Unicode.Scalar = "s") {
    note(unsafe sdBus.sd_bus_message_append_basic(message, CChar(ascii: type), text))
  }

  mutating func put(_ value: Bool) {
    var number: Int32 = value ? 1 : 0
    note(unsafe sdBus.sd_bus_message_append_basic(message, CChar(ascii: "b"), &number))
  }

  /// Appends an array (`a`), variant (`v`), structure (`r`) or entry of a dictionary (`e`).
  mutating func put(
    _ type: Unicode.Scalar, of contents: String, _ values: (inout DBusCall) -> Void
  ) {
    note(unsafe sdBus.sd_bus_message_open_container(message, CChar(ascii: type), contents))
    values(&self)
    note(unsafe sdBus.sd_bus_message_close_container(message))
  }

  /// Appends an array of object paths.
  mutating func put(paths: [String]) {
    put("a", of: "o") { call in for path in paths { call.put(path, "o") } }
  }

  /// Appends a dictionary from strings to strings, in a fixed order.
  mutating func put(_ dictionary: [String: String]) {
    put("a", of: "{ss}") { call in
      for (key, value) in dictionary.sorted(by: { $0.key < $1.key }) {
        call.put("e", of: "ss") { entry in
          entry.put(key)
          entry.put(value)
        }
      }
    }
  }

  /// Appends a property: an entry of a dictionary from strings to variants.
  mutating func put(
    property name: String, _ type: String, _ value: (inout DBusCall) -> Void
  ) {
    put("e", of: "sv") { entry in
      entry.put(name)
      entry.put("v", of: type, value)
    }
  }

  // MARK: A secret

  /// Appends the structure of the Secret Service for a secret, with zeroes for its bytes.
  ///
  /// sd-bus moves a message that grows, and wipes only the last place. So the secret is written
  /// when the message is complete.
  mutating func putSecret(count: Int, session: String, type: String, after types: String) {
    typesBeforeSecret = types
    put("r", of: Self.secret) { structure in
      structure.put(session, "o")
      structure.putZeroes(count: 0)
      structure.putZeroes(count: count)
      structure.put(type)
    }
  }

  private static let secret = "oayays"

  private mutating func putZeroes(count: Int) {
    var place: UnsafeMutableRawPointer?
    let result = unsafe sdBus.sd_bus_message_append_array_space(
      message, CChar(ascii: "y"), count, &place)
    note(result)
    if result >= 0, count > 0, let place = unsafe place { unsafe memset(place, 0, count) }
  }

  /// Writes a secret over its zeroes in the finished message.
  private borrowing func write(
    _ secret: borrowing SecretBytes, after types: String
  ) throws(SecretStoreError) {
    var place: UnsafeRawPointer?
    var count = 0
    try unsafe SystemdBus.check(sdBus.sd_bus_message_rewind(message, 1))
    try unsafe SystemdBus.check(sdBus.sd_bus_message_skip(message, types))
    try unsafe SystemdBus.check(
      sdBus.sd_bus_message_enter_container(message, CChar(ascii: "r"), Self.secret))
    try unsafe SystemdBus.check(sdBus.sd_bus_message_skip(message, "oay"))
    try unsafe SystemdBus.check(
      sdBus.sd_bus_message_read_array(message, CChar(ascii: "y"), &place, &count))
    precondition(count == secret.count, "a place of the secret's size")
    guard let place = unsafe UnsafeMutableRawPointer(mutating: place) else { return }
    unsafe secret.withUnsafeBytes { bytes in
      unsafe UnsafeMutableRawBufferPointer(start: place, count: count).copyMemory(from: bytes)
    }
  }

  // MARK: Sending

  /// Finishes the message and gives it to a connection.
  ///
  /// - Parameters:
  ///   - bus: the connection that it was made for.
  ///   - serial: the number by which its answer is found.
  ///   - secret: the bytes for ``putSecret(count:session:type:after:)``.
  /// - Throws: ``SecretStoreError/noSessionBus`` if the bus has closed the connection, and the
  ///   error of a value that did not fit.
  consuming func send(
    _ bus: OpaquePointer, serial: UInt64, secret: borrowing SecretBytes
  ) throws(SecretStoreError) {
    try SystemdBus.check(failure)
    try unsafe SystemdBus.check(sdBus.sd_bus_message_seal(message, serial, 0))
    if let typesBeforeSecret { try write(secret, after: typesBeforeSecret) }
    try unsafe SystemdBus.check(sdBus.sd_bus_send(bus, message, nil))
  }
}

extension CChar {
  /// The letter of a D-Bus type.
  init(ascii letter: Unicode.Scalar) { self = CChar(truncatingIfNeeded: letter.value) }
}
