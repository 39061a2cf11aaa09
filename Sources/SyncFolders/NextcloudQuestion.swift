internal import CommandKit

/// Asks Nextcloud's desktop client, through the socket for file managers.
///
/// Each question is a line, `RETRIEVE_FILE_STATUS:<path>`. The answers, `STATUS:<state>:<path>`,
/// come between other lines.
enum NextcloudQuestion {
  /// Asks about every file.
  static func ask(_ files: [SyncedFile], _ world: World) -> SyncAnswer {
    let silent = SyncAnswer.unknown(.nextcloud, "its client does not run, or does not answer")
    guard let runtime = world.variable("XDG_RUNTIME_DIR"),
      var connection = LocalConnection(
        to: .unix(runtime + "/Nextcloud/socket"), seconds: SyncAnswer.patience)
    else { return silent }
    // The client also tells every change, of any file: the last state of each counts.
    var states: [Substring: Substring] = [:]
    var asked: Set<Substring> = []
    var next = files.startIndex
    while next < files.endIndex {
      // A few at a time, so that neither side waits for the other to read.
      let end = min(next + 64, files.endIndex)
      for file in files[next..<end] {
        guard !file.path.contains(where: \.isNewline),
          connection.send("RETRIEVE_FILE_STATUS:\(file.path)\n")
        else { return silent }
        asked.insert(file.path[...])
      }
      while states.count < asked.count {
        guard let line = connection.line() else { return silent }
        guard line.hasPrefix("STATUS:") else { continue }
        let words = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count == 3 else { return silent }
        guard asked.contains(words[2]) else { continue }
        // "+SWM": shared with me.
        states[words[2]] = words[1].prefix { $0 != "+" }
      }
      next = end
    }
    var counts: [String: Int] = [:]
    for state in states.values { counts[String(state), default: 0] += 1 }
    return judge(counts, count: asked.count)
  }

  private static func judge(_ states: [String: Int], count: Int) -> SyncAnswer {
    func files(_ names: String...) -> Int { names.reduce(0) { $0 + states[$1, default: 0] } }
    if files("OK") == count { return .yes(.nextcloud, "every file is uploaded") }
    if files("ERROR") > 0 {
      return .notYet(.nextcloud, "it reports \(SyncAnswer.count(files("ERROR"), "error"))")
    }
    if files("IGNORE", "WARNING") > 0 {
      return .notYet(
        .nextcloud, "it leaves out \(SyncAnswer.count(files("IGNORE", "WARNING"), "file"))")
    }
    // These files are being uploaded, new, or not known to the client yet.
    let waiting = files("SYNC", "EVAL", "NEW", "NOP", "NONE", "")
    guard waiting + files("OK") == count else {
      return .unknown(.nextcloud, "it gives no answer that keybackup understands")
    }
    return .notYet(.nextcloud, "\(SyncAnswer.count(waiting, "file")) still to go")
  }
}
