import BackupFolder
import CSPP
import TestSupport

/// What somebody does who has a copy of a silent computer's disk.
enum Theft: String, CaseIterable {
  /// Writes on, or forks the chain.
  case write
  /// Removes, where the computer was permitted to.
  case remove
  /// Adds a version to another computer's file, and claims to replace what is there.
  case target
  /// Removes a version of another computer's file.
  case wish
  /// Signs an operation with a counter after which hardly any is left.
  case counter
  /// Writes as a computer that nobody authorised.
  case stranger
  /// Writes as the same computer with a key of its own.
  case forger
  /// Writes with all secrets of the computer but the key with which it signs.
  case unsigned
  /// Adds a wallet.
  case wallet
}

extension FileWorld {
  /// Lets somebody with a silent computer's disk write.
  func steal(from victim: Machine, using theft: Theft) {
    isAttacked = true
    hasThief = true
    let name = "\(victim.name)-thief"
    var thief = machines.first { $0.name == name }
    if thief == nil || Int.random(in: 0..<5, using: &generator) == 0 {
      let number = machines.count { $0.name.hasPrefix(name) }
      let made = victim.clone(name: number == 0 ? name : "\(name)\(number)", .thief, base: base)
      made.may = (try? writer(victim)?.may) ?? []
      include(made)
      log("somebody copies the disk of \(victim.name)")
      thief = made
    }
    guard let thief else { return }
    for _ in 0..<3 { engine.deliverSome(to: thief.replica, using: &generator) }
    let (last, texts) = (thief.last, thief.texts)
    let state = Disk.files(thief.computer.state)
    let granted = state.filter {
      $0.key.hasSuffix(".writer")
        && String(decoding: $0.value, as: UTF8.self).contains("\nnamespace ")
    }
    guard let (path, bytes) = granted.first, granted.count == 1 else { return }
    var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    log("theft: \(theft)")
    switch theft {
    case .write: write(thief)
    case .remove:
      use(lines, path, at: thief)
      removeSilently(thief, isPermitted: thief.may.contains(.fileRemove))
    case .wallet:
      use(lines, path, at: thief)
      addWallet(thief, isForged: !thief.may.contains(.put))
    case .target, .wish:
      guard let target = someVersion() else { return }
      Self.point(&lines, to: target)
      use(lines, path, at: thief)
      pretend(theft, thief, target)
    case .counter:
      for (place, line) in lines.enumerated() where line.hasPrefix("last ") {
        var words = line.split(separator: " ").map(String.init)
        words[2] = "\(UInt64(1) << 62)"
        lines[place] = words.joined(separator: " ")
      }
      use(lines, path, at: thief)
      write(thief)
    case .stranger:
      let id = WriterID.random()
      lines.removeAll { $0.hasPrefix("last ") || $0.hasPrefix("operation ") }
      lines = lines.map { $0.hasPrefix("writer ") ? "writer \(id)" : $0 }
      let folder = path.split(separator: "/").dropLast().joined(separator: "/")
      Disk.remove("\(thief.computer.state)/\(path)")
      use(lines, "\(folder)/\(id).writer", at: thief)
      forge(thief)
    case .forger:
      let seed = (0..<64).map { _ in "0123456789abcdef".randomElement(using: &generator) ?? "0" }
      lines = lines.map { $0.hasPrefix("seed ") ? "seed \(String(seed))" : $0 }
      use(lines, path, at: thief)
      forge(thief)
    case .unsigned:
      use(lines, path, at: thief)
      write(thief, isForged: true, mayReplace: [], isSigned: false)
    }
    // A changed state was for once, unless the chain itself went on.
    if [.write, .remove, .wallet].contains(theft) { return }
    Disk.remove(thief.computer.state)
    for (path, bytes) in state { Disk.write(bytes, to: "\(thief.computer.state)/\(path)") }
    (thief.last, thief.texts) = (last, texts)
  }

  /// Writes or removes a version as if it were one's own.
  private func pretend(_ theft: Theft, _ thief: Machine, _ target: FileOracle.Written) {
    let key = try? writer(thief)?.signingKey
    let own = target.key == key ? Set([target.made]) : []
    if theft == .target { return write(thief, mayReplace: own) }
    play(thief, "wants to remove \(target.made.stem.prefix(6))", crashAt: nil) {
      () throws(BackupFolderError) in
      guard let writer = try writer(thief) else { return "" }
      _ = begin(
        target.file, mayReplace: thief.may.contains(.fileRemove) ? own : [],
        at: writer.namespaceID, key: writer.signingKey, isRemoval: true)
      try folder(thief).removeSilently(name: .of(FileWorld.names[0]), as: writer)
      return ""
    }
  }

  private func forge(_ thief: Machine) {
    if Bool.random(using: &generator) {
      write(thief, isForged: true, mayReplace: [])
    } else {
      addWallet(thief, isForged: true)
    }
  }

  /// Makes a state the thief's, with all permissions that there are.
  private func use(_ lines: [String], _ path: String, at thief: Machine) {
    let text = lines.map { $0.hasPrefix("may ") ? "may 7" : $0 }.joined(separator: "\n") + "\n"
    Disk.write(Array(text.utf8), to: "\(thief.computer.state)/\(path)")
  }

  /// Makes the signatures of operations others', as of somebody who has the old master key, and so a
  /// writer's secret.
  func unsign(_ operations: Set<String>, at thief: Machine) {
    for path in operations.sorted() {
      let place = "\(thief.replica.folder)/\(path)"
      guard let bytes = Disk.files(thief.replica.folder)[path] else { continue }
      let mark = Array(#""signature":""#.utf8)
      guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: mark) }) else {
        continue
      }
      var planted = bytes
      let first = end + mark.count
      planted[first] = planted[first] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      let counter = path.split(separator: "/").last?.prefix { $0 != "-" } ?? ""
      let folder = place.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      Disk.remove(place)
      Disk.write(
        planted,
        to: "\(folder.joined(separator: "/"))/\(counter)-\(Digest(of: planted.span).stem).json")
    }
  }

  /// A version that somebody honest wrote.
  private func someVersion() -> FileOracle.Written? {
    let all = oracle.files.flatMap { file in
      oracle.written.values.filter { $0.file == file }.sorted { $0.made < $1.made }
    }
    return all.randomElement(using: &generator)
  }

  /// Makes every file of a state the given version's.
  private static func point(_ lines: inout [String], to target: FileOracle.Written) {
    let content = String(repeating: "0", count: 64)
    lines.removeAll { $0.hasPrefix("file ") }
    guard let place = lines.firstIndex(where: { $0.hasPrefix("order ") }) else { return }
    for name in FileWorld.names {
      let hex = name.utf8.map { String($0, radix: 16) }.joined()
      lines.insert("file \(target.file) \(target.made) 1 - \(content) \(hex)", at: place + 1)
    }
  }
}
