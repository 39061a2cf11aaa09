import TestSupport
import Testing

/// Guards on loopback addresses, of a second make: Tests/guards/python-guard.
final class GuardCircle: Sendable {
  /// A guard.
  struct Member: Sendable {
    let url: String
    let guardID: String
  }

  let members: [Member]
  /// An issuer of ID tokens, at which a browser need only follow redirects.
  let issuer: String
  private let folder: String
  private let program: BackgroundProgram

  /// Starts guards.
  init(_ count: Int, in box: Sandbox, name: String = "guards") async throws {
    folder = box.root + "/" + name
    try Files.makeFolder(folder)
    let log = folder + "/output"
    program = try BackgroundProgram(
      Python.script("guards/python-guard") + ["\(count)", folder],
      environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"], log: log)
    var found: [Member] = []
    var issuer = ""
    try await waitUntil("the guards listen") {
      let output = (try? Files.text(log)) ?? ""
      guard output.contains("\n") else { return output }
      let line = try JSON(Array(output.utf8))
      found = line["guards"].items.map {
        Member(url: $0["url"].text ?? "", guardID: $0["guard_id"].text ?? "")
      }
      issuer = line["issuer"].text ?? ""
      return nil
    }
    (members, self.issuer) = (found, issuer)
    try #require(members.count == count, "\(program.output)")
  }

  /// The options that name all guards, for `guard add`.
  var servers: [String] { members.flatMap { ["--server", $0.url] } }

  /// The options that name all guards with their IDs, so that nobody is asked.
  var named: [String] { members.flatMap { ["--guard-server", "\($0.guardID)=\($0.url)"] } }

  /// Lets a guard, from 1 on, behave in a way that the program's help names.
  func make(_ number: Int, be word: String) throws {
    try Files.write(word + "\n", to: "\(folder)/behaviour-\(number)")
  }

  /// Sets all clocks ahead, in seconds.
  func setClock(ahead seconds: Int) throws {
    try Files.write("+\(seconds)\n", to: folder + "/clock")
  }

  /// Stops all clocks at a time, in Unix seconds.
  func stopClock(at time: Int) throws { try Files.write("\(time)\n", to: folder + "/clock") }

  /// The requests that a guard has answered: path and status.
  func requests(_ number: Int) -> [String] {
    let text = (try? Files.text("\(folder)/log-\(number)")) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  /// How often all guards were asked to do something.
  func count(_ call: String) -> Int {
    (1...members.count).flatMap(requests).count { $0.hasPrefix("/v1/\(call) ") }
  }

  /// Keeps a copy of a guard's accounts.
  func keep(_ number: Int) throws {
    try Files.copy("\(folder)/state-\(number).json", to: "\(folder)/kept-\(number)")
  }

  /// Sets a guard back to the copy.
  func setBack(_ number: Int) throws {
    try Files.remove("\(folder)/state-\(number).json")
    try Files.copy("\(folder)/kept-\(number)", to: "\(folder)/state-\(number).json")
  }

  /// Moves a guard to another computer: what an import makes of the copy.
  func move(_ number: Int) throws {
    let path = "\(folder)/state-\(number).json"
    let numbers = /"counter": (\d+), "tries": (\d+), "timer": \d+/
    let moved = try Files.text(path).replacing(numbers) { (found) -> String in
      let counter = (Int(found.1) ?? 0) + (1 << 32)
      // All tries of a PIN are 21, with the set-up's. No wait is left.
      let tries = max(Int(found.2) ?? 0, 18)
      return "\"counter\": \(counter), \"tries\": \(tries), \"timer\": 0"
    }
    try Files.write(moved, to: path)
  }

  /// The accounts of a guard.
  func accounts(_ number: Int) throws -> [JSON] {
    let state = try JSON(Files.read("\(folder)/state-\(number).json"))
    return state.names.map { state[$0] }
  }

  /// Lets a guard give no answer to a call.
  func fail(_ number: Int, at call: String) throws {
    try Files.write(call, to: "\(folder)/fails-\(number)")
  }

  /// Sets who logs in at the issuer; "nobody" refuses.
  func logIn(as person: String) throws { try Files.write(person, to: folder + "/person") }

  /// Sets the invite that a guard asks for.
  func ask(_ number: Int, forInvite code: String) throws {
    try Files.write(code, to: "\(folder)/invite-\(number)")
  }
}
