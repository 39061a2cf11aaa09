import BackupFolder
import CSPP
import SecretMemory
import TestSupport

/// Files added by somebody who can write to the folder but has no key.
///
/// Nothing in the folder is lost, so nothing may be reported as lost.
enum Planting: String, CaseIterable {
  /// Copies of operations in another spelling.
  case copies
  /// Such copies, while the originals are removed, if no copy of the operation was removed before.
  case onlyCopies
  /// Added copies are removed again, if the original of the operation was not removed.
  case copiesGo
  /// A key slot that was never enrolled.
  case slot
  /// A key slot with the right credential and key ID, and another salt.
  case salt
  /// A whole namespace with its own master key, dated in the future.
  case namespace

  func play(on replica: Replica, in world: World, using generator: inout SeededGenerator) {
    let place = "\(replica.folder)/cspp-namespaces/\(world.namespace)/keybackup"
    switch self {
    case .copies, .onlyCopies:
      for path in Self.operations(of: replica).shuffled(using: &generator).prefix(3) {
        guard let bytes = replica.files[path]?.bytes else { continue }
        let original = Self.original(bytes, path)
        if self == .onlyCopies, world.keptOriginals.contains(original) { continue }
        let copy = bytes + [UInt8](repeating: 10, count: Int.random(in: 1...3, using: &generator))
        let name = path.dropLast(37) + Digest(of: copy.span).hex.prefix(32) + ".json"
        Disk.write(copy, to: "\(replica.folder)/\(name)")
        if self == .onlyCopies {
          Disk.remove("\(replica.folder)/\(path)")
          world.keptCopies.insert(original)
        }
      }
    case .copiesGo:
      let files = replica.files
      for path in Self.operations(of: replica) {
        guard let bytes = files[path]?.bytes, bytes.last == 10 else { continue }
        let original = Self.original(bytes, path)
        guard files[original] != nil, !world.keptCopies.contains(original) else { continue }
        Disk.remove("\(replica.folder)/\(path)")
        world.keptOriginals.insert(original)
      }
    case .slot, .salt:
      Self.plant(isOwn: self == .salt, world, place, using: &generator)
    case .namespace:
      let made = Disk.makeTemporaryFolder()
      defer { Disk.remove(made) }
      let thief = Computer(name: "thief", replica: Replica(folder: made + "/cloud"), state: made)
      let output = [UInt8](repeating: 8, count: 32)
      guard
        (try? thief.folder(time: 1_000_000_000).create(
          SecurityKey.enrolment, prfOutput: secret(output), confirmedBy: secret(output))) != nil
      else { return world.violate("no namespace to plant") }
      for (path, bytes) in Disk.files(thief.replica.folder) {
        Disk.write(bytes, to: "\(replica.folder)/\(path)")
      }
    }
  }

  /// The path of the file's original, or its own path.
  private static func original(_ bytes: [UInt8], _ path: String) -> String {
    var original = bytes
    while original.last == 10 { original.removeLast() }
    return path.dropLast(37) + Digest(of: original.span).hex.prefix(32) + ".json"
  }

  /// Whole operation files.
  private static func operations(of replica: Replica) -> [String] {
    replica.files.filter { path, content in
      guard case .operation = content.meaning else { return false }
      return Place(path) == .log && path.hasSuffix(".json")
    }.keys.sorted()
  }

  /// Adds a key slot with the ID of the user's slot or another ID.
  private static func plant(
    isOwn: Bool, _ world: World, _ place: String, using generator: inout SeededGenerator
  ) {
    let id = isOwn ? world.slot : KeyID.random()
    let salt = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let header = KeyHeader(
      namespaceID: world.namespace, keyID: id,
      kind: .securityKey(
        KeyHeader.SecurityKey(
          rpID: "keybackup:", credentialID: [1, 2, 3], discoverable: true,
          aaguid: [UInt8](repeating: 9, count: 16), prfSalt: salt)), label: "spare",
      createdAt: 1_900_000_000)
    guard let file = world.archive.keySlot(header) else { return world.violate("no way to plant") }
    let name = isOwn ? "planted-\(salt[0])" : id.hex
    Disk.write(file, to: "\(place)/keys/\(name).json")
  }
}
