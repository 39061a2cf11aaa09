import BackupFolder
import CSPP
import TestSupport

extension FileWorld {
  /// Rotates the master key, or goes on with an interrupted rotation.
  func rotate(
    _ open: inout OpenNamespace, at machine: Machine
  ) throws(BackupFolderError) -> String {
    let old = open.id
    // Only the first rotations: a history of many is long, and tells no more.
    if namespaces.count > 3 { return "not again" }
    // A rotation after the theft takes the old log as it stands.
    if isAttacked, old == namespaces.first { return "not any more" }
    let unfinished = try folder(machine).namespace(old).unfinishedRotation()
    let slot = (try? unfinished?.scan())??.keySlots.first { $0.keyID != nil }
    let salt = slot?.prfSalt ?? (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let enrolment = Enrolment(
      label: "key",
      securityKey: KeyHeader.SecurityKey(
        rpID: "keybackup:", credentialID: [1, 2, 3], discoverable: true,
        aaguid: [UInt8](repeating: 9, count: 16), prfSalt: salt),
      keyID: slot?.keyID ?? .random())
    let slots = try folder(machine).namespace(old).scan().keySlots
    guard let atHand = slots.first(where: { $0.keyID != nil })?.keyID else { return "no slot" }
    let known = machine.operations
    let place = oracle.rotations.firstIndex {
      $0.from == old && $0.rotator == machine.name && !$0.isDone
    }
    let isDespite = isAttacked && Bool.random(using: &generator)
    var rotation: Rotation
    do throws(BackupFolderError) {
      rotation = try open.rotateMasterKey(
        to: enrolment, secret: SecurityKey.prfOutput(), atHand: atHand, despiteGaps: isDespite)
    } catch {
      if Crash.hasHappened { note(known, old, machine, place, isDespite, isDone: false) }
      throw error
    }
    note(known, old, machine, place, isDespite, isDone: !Crash.hasHappened)
    let new = rotation.namespace.id
    if !Crash.hasHappened { namespaces.append(new) }
    return "\(old.hex.prefix(4)) -> \(new.hex.prefix(4)), \(rotation.files) files"
      + (rotation.isResumed ? ", resumed" : "")
  }

  private func note(
    _ known: Set<Substring>, _ old: NamespaceID, _ machine: Machine, _ place: Int?,
    _ isDespite: Bool, isDone: Bool
  ) {
    if let place {
      // Of an interrupted one nobody knows how far it came.
      let before = oracle.rotations[place].known
      oracle.rotations[place].known = isDone ? known : before.intersection(known)
      oracle.rotations[place].isDespite = isDespite || oracle.rotations[place].isDespite
      oracle.rotations[place].isDone = isDone
    } else {
      oracle.rotations.append(

        .init(
          from: old, rotator: machine.name, known: known, isDespite: isDespite, isDone: isDone))
    }
  }

  /// Lets somebody with a master key that was given up write to its namespace.
  func writeWithOldKey(at machine: Machine) {
    guard namespaces.count > 1, let old = namespaces.first else { return }
    isAttacked = true
    let former =
      machines.first { $0.role == .former }
      ?? {
        // The key and the folder, and nothing that this computer remembers: two computers with one
        // memory would fork.
        let made = machine.clone(name: "X", .former, base: base)
        Disk.remove(made.computer.state)
        include(made)
        return made
      }()
    for _ in 0..<3 { engine.deliverSome(to: former.replica, using: &generator) }
    let choice = Int.random(in: 0..<5, using: &generator)
    play(former, "writes with the old key (\(choice))", crashAt: nil) {
      () throws(BackupFolderError) in
      let namespace = try folder(former).namespace(old)
      guard let slot = try namespace.scan().keySlots.first,
        let key = try? slot.unwrap(secret: SecurityKey.prfOutput())
      else { return "no key" }
      var open = try namespace.open(key, by: slot.keyID)
      let files = try open.files().sorted { $0.id < $1.id }
      let file = files.randomElement(using: &generator)
      switch choice {
      case 0, 1:
        let text = newText()
        if case .added(let id, let operation, _) = try open.addFile(
          FileTexts.contents(text), name: .of("doc"), to: file?.id)
        {
          oracle.include(.init(made: operation.digest, file: id, key: nil, isHonest: false))
        }
        return text
      case 2:
        if let file { try open.removeFile(file.id, despiteGaps: true) }
        return "removes \(file?.id.hex.prefix(4) ?? "-")"
      case 3:
        let writer = open.silentWriters().first { !$0.isRetired }?.writer
        if let writer { try open.retire(writer.signingKey, despiteGaps: true) }
        return "retires \(writer?.label.text ?? "nobody")"
      default:
        let version = file?.versions.randomElement(using: &generator)
        if let version { try open.choose(version, despiteGaps: true) }
        return "chooses \(version?.made.stem.prefix(6) ?? "-")"
      }
    }
  }
}
