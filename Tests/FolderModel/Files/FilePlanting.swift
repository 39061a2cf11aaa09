import CSPP
import TestSupport

/// Files that somebody without any key adds to `sealed` and `objects`.
enum FilePlanting: String, CaseIterable {
  /// A sealed operation in another spelling, under its own hash.
  case respelled
  /// A sealed operation under another's name.
  case misnamed
  /// A sealed operation in another writer's folder.
  case moved
  /// Half of a sealed operation, under a name with a high counter.
  case half
  /// Names that are none.
  case garbage
  /// An ordinary operation among the sealed ones.
  case ordinary
  /// An object that nothing names.
  case object
}

extension FileWorld {
  func plant(_ planting: FilePlanting, at machine: Machine) {
    isAttacked = true
    let files = machine.replica.files
    let sealed = files.keys.filter(FilePath.isSealed).sorted()
    guard let path = sealed.randomElement(using: &generator), let bytes = files[path]?.bytes,
      !bytes.isEmpty
    else { return }
    let parts = path.split(separator: "/").map(String.init)
    let folder = parts.dropLast().joined(separator: "/")
    let counter = "\(Int.random(in: 1...99, using: &generator))"
    let number = String(repeating: "0", count: 8 - counter.count) + counter
    var target = ""
    var planted = bytes
    switch planting {
    case .respelled:
      planted.append(10)
      target = "\(folder)/\(number)-\(Digest(of: planted.span).stem).json"
    case .misnamed:
      let other = sealed.randomElement(using: &generator) ?? path
      target = "\(folder)/\(number)-\(FilePath.operation(other) ?? "").json"
    case .moved:
      let all = parts.dropLast(2).joined(separator: "/")
      target = "\(all)/\(WriterID.random())/\(parts.last ?? "")"
    case .half:
      planted = Array(bytes.prefix(bytes.count / 2))
      target = "\(folder)/99999999-\(Digest(of: planted.span).stem).json"
    case .garbage: target = "\(folder)/\(counter)-zz.json"
    case .ordinary:
      let log = files.keys.filter { FilePath.operation($0) != nil && !FilePath.isSealed($0) }
      guard let one = log.sorted().randomElement(using: &generator), let bytes = files[one]?.bytes
      else { return }
      planted = bytes
      target = "\(folder)/\(one.split(separator: "/").last ?? "")"
    case .object:
      target =
        parts.prefix(3).joined(separator: "/") + "/objects/\(Digest(of: bytes.span)).bin"
    }
    // Planting adds; it does not destroy.
    guard files[target] == nil else { return }
    Disk.write(planted, to: "\(machine.replica.folder)/\(target)")
    engine.collect(machine.replica)
    log("PLANTED at \(machine.name): \(planting)")
  }
}
