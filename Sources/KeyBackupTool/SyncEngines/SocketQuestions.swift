/// Asks the desktop client of Nextcloud or ownCloud, through the socket for file managers.
///
/// Each question is a line, `RETRIEVE_FILE_STATUS:<path>`. The answers, `STATUS:<state>:<path>`,
/// come between other lines.
enum DesktopClientQuestion {
  /// Asks about every file.
  static func ask(_ engine: SyncEngine, _ files: [SyncedFile], _ world: World) -> SyncAnswer {
    let silent = SyncAnswer.unknown(engine, "its client does not run, or does not answer")
    guard let runtime = world.variable("XDG_RUNTIME_DIR"),
      var connection = LocalConnection(
        to: .unix(runtime + "/" + engine.name + "/socket"), seconds: SyncAnswer.patience)
    else { return silent }
    var states: [String: Int] = [:]
    var next = files.startIndex
    while next < files.endIndex {
      // A few at a time, so that neither side waits for the other to read.
      let end = min(next + 64, files.endIndex)
      for file in files[next..<end] {
        guard !file.path.contains(where: \.isNewline),
          connection.send("RETRIEVE_FILE_STATUS:\(file.path)\n")
        else { return silent }
      }
      var answers = 0
      while answers < end - next {
        guard let line = connection.line() else { return silent }
        guard line.hasPrefix("STATUS:") else { continue }
        let words = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count == 3 else { return silent }
        // The client also reports other files unasked.
        guard files[next..<end].contains(where: { $0.path == words[2] }) else { continue }
        // "+SWM": shared with me.
        states[String(words[1].prefix { $0 != "+" }), default: 0] += 1
        answers += 1
      }
      next = end
    }
    return judge(engine, states, count: files.count)
  }

  private static func judge(
    _ engine: SyncEngine, _ states: [String: Int], count: Int
  ) -> SyncAnswer {
    func files(_ names: String...) -> Int { names.reduce(0) { $0 + states[$1, default: 0] } }
    if files("OK") == count { return .yes(engine, "every file is uploaded") }
    if files("ERROR") > 0 {
      return .notYet(engine, "it reports \(SyncAnswer.count(files("ERROR"), "error"))")
    }
    if files("IGNORE", "WARNING") > 0 {
      return .notYet(
        engine, "it leaves out \(SyncAnswer.count(files("IGNORE", "WARNING"), "file"))")
    }
    // These files are being uploaded, new, or not known to the client yet.
    let waiting = files("SYNC", "EVAL", "NEW", "NOP", "NONE", "")
    guard waiting + files("OK") == count else {
      return .unknown(engine, "it gives no answer that keybackup understands")
    }
    return .notYet(engine, "\(SyncAnswer.count(waiting, "file")) still to go")
  }
}

/// Asks Dropbox, through the socket for file managers.
///
/// A question and its answer are lines with a tab between name and value; the last line is `done`.
enum DropboxQuestion {
  /// Asks about every file.
  static func ask(_ files: [SyncedFile], _ world: World) -> SyncAnswer {
    let silent = SyncAnswer.unknown(.dropbox, "it does not run, or does not answer")
    guard let home = world.variable("HOME"),
      var connection = LocalConnection(
        to: .unix(home + "/.dropbox/command_socket"), seconds: SyncAnswer.patience)
    else { return silent }
    var done = 0
    var problems: [String: Int] = [:]
    for file in files {
      guard !file.path.contains(where: { $0.isNewline || $0 == "\t" }),
        connection.send("icon_overlay_file_status\npath\t\(file.path)\ndone\n"),
        connection.line() == "ok"
      else { return silent }
      var status = ""
      while true {
        guard let line = connection.line() else { return silent }
        if line == "done" { break }
        if line.hasPrefix("status\t") { status = String(line.dropFirst("status\t".count)) }
      }
      if status == "up to date" { done += 1 } else { problems[status, default: 0] += 1 }
    }
    if done == files.count { return .yes(.dropbox, "every file is up to date") }
    if let count = problems["unsyncable"] {
      return .notYet(.dropbox, "it cannot take \(SyncAnswer.count(count, "file"))")
    }
    if let count = problems["selsync"] ?? problems["unwatched"] ?? problems["ignored"] {
      return .notYet(.dropbox, "it leaves out \(SyncAnswer.count(count, "file"))")
    }
    let waiting = problems["syncing", default: 0]
    guard waiting + done == files.count else {
      return .unknown(.dropbox, "it gives no answer that keybackup understands")
    }
    return .notYet(.dropbox, "\(SyncAnswer.count(waiting, "file")) still to go")
  }
}
