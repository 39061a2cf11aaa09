public import SecretMemory

/// The desktop's keyring: gnome-keyring, KWallet, KeePassXC or any other service with the Secret
/// Service API on the session bus (specifications.freedesktop.org/secret-service).
///
/// A secret passes over the bus's socket in a `plain` session. Only processes of the same user,
/// including the bus, can read that, and they may ask the service for the secret anyway. See
/// docs/decisions/0022.
public struct SecretService: ~Copyable {
  private var bus: DBusConnection
  private let isPromptAllowed: Bool

  /// The attributes that identify an item: all must match, none is secret.
  public typealias Attributes = [String: String]

  /// The presence of a stored secret.
  public enum Presence: Equatable, Sendable {
    case absent
    /// The secret exists, and its collection is locked.
    case locked
    case present
  }

  private static let name = "org.freedesktop.secrets"
  private static let root = "/org/freedesktop/secrets"
  private static let service = "org.freedesktop.Secret.Service"
  private static let item = "org.freedesktop.Secret.Item"
  private static let collection = "org.freedesktop.Secret.Collection"
  private static let prompt = "org.freedesktop.Secret.Prompt"
  /// The path that the specification uses for "no object".
  private static let none = "/"
  /// The time limit, in seconds, for an answer that needs no person.
  private static let patience = 15
  /// The time limit, in seconds, for the user to answer the desktop's question.
  private static let personsPatience = 120

  /// Connects; the bus starts the service if necessary.
  ///
  /// - Parameters:
  ///   - address: the session bus.
  ///   - isPromptAllowed: whether the desktop may ask the user for a password.
  ///   - isInterrupted: called a few times a second.
  /// - Throws: ``SecretStoreError/noSessionBus``, ``SecretStoreError/busRefused``,
  ///   ``SecretStoreError/timedOut``, ``SecretStoreError/interrupted``.
  public init(
    _ address: SessionBus, isPromptAllowed: Bool,
    isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws(SecretStoreError) {
    bus = try .open(address, seconds: Self.patience, isInterrupted: isInterrupted)
    self.isPromptAllowed = isPromptAllowed
  }

  /// Checks for a secret without unlocking anything.
  ///
  /// - Throws: ``SecretStoreError/noSecretService`` and the errors of the bus, as every call here.
  public mutating func look(for attributes: Attributes) throws(SecretStoreError) -> Presence {
    let (unlocked, locked) = try search(attributes)
    return unlocked.isEmpty ? (locked.isEmpty ? .absent : .locked) : .present
  }

  /// Finds a secret.
  ///
  /// - Returns: its bytes; nil when there is none.
  /// - Throws: ``SecretStoreError/locked`` where the user would have to be asked but may not be,
  ///   ``SecretStoreError/dismissed``.
  public mutating func find(_ attributes: Attributes) throws(SecretStoreError) -> SecretBytes? {
    var (items, locked) = try search(attributes)
    if items.isEmpty, !locked.isEmpty {
      try unlock(locked)
      items = try search(attributes).unlocked
      guard !items.isEmpty else { throw .locked }
    }
    guard let item = items.first else { return nil }
    return try secret(of: item, session: openSession())
  }

  /// Unlocks the default collection, or creates it if there is none, so that the user is asked
  /// before there is a secret to store.
  ///
  /// - Throws: ``SecretStoreError/locked``, ``SecretStoreError/dismissed``.
  public mutating func prepare() throws(SecretStoreError) { _ = try unlockedCollection() }

  /// Stores a secret in the default collection and reads it back; replaces one with the same
  /// attributes.
  ///
  /// - Parameters:
  ///   - secret: the bytes; text, because some services can store nothing else.
  ///   - label: the name that the user sees.
  ///   - attributes: the attributes by which it is found.
  /// - Throws: ``SecretStoreError/locked``, ``SecretStoreError/dismissed``,
  ///   ``SecretStoreError/notKept``.
  public mutating func keep(
    _ secret: borrowing SecretBytes, label: String, _ attributes: Attributes
  ) throws(SecretStoreError) {
    let session = try openSession()
    let place = try unlockedCollection()
    var create = try call(place, Self.collection, "CreateItem")
    create.put("a", of: "{sv}") { properties in
      properties.put(property: Self.item + ".Label", "s") { $0.put(label) }
      properties.put(property: Self.item + ".Attributes", "a{ss}") { $0.put(attributes) }
    }
    create.putSecret(count: secret.count, session: session, type: "text/plain", after: "a{sv}")
    create.put(true)
    let (_, prompt) = try pair(send(create, secret: secret))
    try answer(prompt)
    guard let kept = try find(attributes), kept.isEqual(to: secret) else { throw .notKept }
  }

  /// Removes the secrets stored under some attributes.
  ///
  /// - Returns: the number of items removed.
  /// - Throws: ``SecretStoreError/locked``, ``SecretStoreError/dismissed``.
  @discardableResult
  public mutating func forget(_ attributes: Attributes) throws(SecretStoreError) -> Int {
    var (items, locked) = try search(attributes)
    if !locked.isEmpty {
      try unlock(locked)
      items = try search(attributes).unlocked
    }
    for item in items {
      let reply = try send(call(item, Self.item, "Delete"))
      try reply.expect("o")
      try answer(reply.path())
    }
    let left = try search(attributes)
    guard left.unlocked.isEmpty, left.locked.isEmpty else { throw .locked }
    return items.count
  }

  // MARK: Calls

  private func call(
    _ path: String, _ interface: String, _ member: String
  ) throws(SecretStoreError) -> DBusCall {
    try bus.makeCall(path, interface, member, to: Self.name)
  }

  /// Sends a call that needs no person, with its own time limit.
  private mutating func send(
    _ call: consuming DBusCall, secret: borrowing SecretBytes = SecretBytes(zeroed: 0)
  ) throws(SecretStoreError) -> DBusReply {
    bus.allow(Self.patience)
    return try bus.call(call, secret: secret)
  }

  private mutating func search(
    _ attributes: Attributes
  ) throws(SecretStoreError) -> (unlocked: [String], locked: [String]) {
    var call = try call(Self.root, Self.service, "SearchItems")
    call.put(attributes)
    let reply = try send(call)
    try reply.expect("aoao")
    return (try reply.paths(), try reply.paths())
  }

  /// Opens a session without encryption: the algorithm `plain`.
  private mutating func openSession() throws(SecretStoreError) -> String {
    var call = try call(Self.root, Self.service, "OpenSession")
    call.put("plain")
    call.put("v", of: "s") { $0.put("") }
    let reply = try send(call)
    try reply.expect("vo")
    try reply.skip("v")
    return try reply.path()
  }

  private mutating func secret(
    of item: String, session: String
  ) throws(SecretStoreError) -> SecretBytes {
    var call = try call(item, Self.item, "GetSecret")
    call.put(session, "o")
    let reply = try send(call)
    try reply.expect("(oayays)")
    try reply.structure("oayays")
    try reply.skip("oay")
    return try reply.secret()
  }

  private mutating func defaultCollection() throws(SecretStoreError) -> String {
    var call = try call(Self.root, Self.service, "ReadAlias")
    call.put("default")
    let reply = try send(call)
    try reply.expect("o")
    return try reply.path()
  }

  private mutating func unlockedCollection() throws(SecretStoreError) -> String {
    let place = try defaultCollection()
    if place == Self.none { return try makeDefaultCollection() }
    try unlock([place])
    return place
  }

  /// Creates the default keyring of a desktop that has none; the user chooses its password.
  private mutating func makeDefaultCollection() throws(SecretStoreError) -> String {
    guard isPromptAllowed else { throw .locked }
    var call = try call(Self.root, Self.service, "CreateCollection")
    call.put("a", of: "{sv}") { properties in
      properties.put(property: Self.collection + ".Label", "s") { $0.put("Default keyring") }
    }
    call.put("default")
    let (made, prompt) = try pair(send(call))
    if prompt == Self.none { return made }
    try answer(prompt)
    let place = try defaultCollection()
    guard place != Self.none else { throw .dismissed }
    return place
  }

  /// Unlocks items or collections.
  private mutating func unlock(_ objects: [String]) throws(SecretStoreError) {
    var call = try call(Self.root, Self.service, "Unlock")
    call.put(paths: objects)
    let reply = try send(call)
    try reply.expect("aoo")
    _ = try reply.paths()
    try answer(reply.path())
  }

  private func pair(
    _ reply: borrowing DBusReply
  ) throws(SecretStoreError) -> (object: String, prompt: String) {
    try reply.expect("oo")
    return (try reply.path(), try reply.path())
  }

  /// Lets the desktop ask the user its question.
  private mutating func answer(_ prompt: String) throws(SecretStoreError) {
    if prompt == Self.none { return }
    guard isPromptAllowed else {
      dismiss(prompt)
      throw .locked
    }
    var watch = try bus.makeCall(
      "/org/freedesktop/DBus", DBusConnection.bus, "AddMatch", to: DBusConnection.bus)
    watch.put("type='signal',interface='\(Self.prompt)',path='\(prompt)'")
    _ = try send(watch)
    var show = try call(prompt, Self.prompt, "Prompt")
    // There is no window to which the dialogue would belong.
    show.put("")
    bus.allow(Self.personsPatience)
    do throws(SecretStoreError) {
      let completed = try bus.call(show, until: "Completed", from: prompt)
      try completed.expect("bv")
      if try completed.flag() { throw SecretStoreError.dismissed }
    } catch {
      if error == .timedOut || error == .interrupted { dismiss(prompt) }
      throw error
    }
  }

  private mutating func dismiss(_ prompt: String) {
    do { try bus.post(call(prompt, Self.prompt, "Dismiss")) } catch {}
  }
}
