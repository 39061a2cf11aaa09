import Testing

@testable import CommandKit

/// Faults of the computer itself are named, before a key is asked for anything.
@Suite struct ComputerFaultTests {
  @Test func `A state folder that cannot be made is named before the touch`() async throws {
    let box = try await PreparedBackup().box
    let home = box.root + "/other-home"
    try Files.makeFolder(home + "/.local/state")
    try Files.write("", to: home + "/.local/state/keybackup")
    let asked = try await box.traced {
      let refused = try await box.keybackup(
        ["wallet", "remove", PreparedBackup.ids[0], "--yes"], home: home, expecting: nil)
      expectFailure(refused, 73, says: home + "/.local/state/keybackup")
    }
    #expect(asked.isEmpty)
    let request = try await box.keybackup(
      ["writers", "request"], key: nil, pin: .none, home: home, expecting: nil)
    expectFailure(request, 73, says: home + "/.local/state/keybackup")
    #expect(!request.err.contains("synced folder"), "\(request.err)")
    // What only reads needs no memory.
    try await box.keybackup(["restore"], home: home)
    let other = box.root + "/other-folder"
    let state = box.root + "/other-state"
    try Files.makeFolder(other)
    try Files.link(state, to: "nowhere/at-all")
    let unasked = try await box.traced {
      let refused = try await box.keybackup(
        ["init", other], environment: ["XDG_STATE_HOME": state], expecting: nil)
      #expect(refused.code == 73 && refused.err.contains(state), "\(refused.text)")
    }
    #expect(unasked.isEmpty && Files.tree(other).isEmpty)
  }

  @Test func `A relative folder whose whole path is not UTF-8 is refused before anything is made`()
    async throws
  {
    let box = try Sandbox()
    let script = #"""
      cd "$0"; d=$(printf 'caf\351'); mkdir "$d"; cd "$d"; "$@"; code=$?
      [ -z "$(ls)" ] || echo MADE >&2
      exit $code
      """#
    let refused = try await box.keybackup(
      ["init", "backup"], environment: ["KEYBACKUP_FOLDER": ""],
      wrapper: ["sh", "-c", script, box.root], expecting: nil)
    expectFailure(refused, 64, says: "not UTF-8")
    #expect(!refused.err.contains("MADE"), "\(refused.err)")
  }

  @Test func `Without descriptors nobody says that there is no key`() async throws {
    let box = try Sandbox()
    let few = ["bash", "-c", #"ulimit -n 12; exec "$@""#, "bash"]
    let refused = try await box.keybackup(
      ["derive", "--salt", "x"], key: nil, wrapper: few, expecting: 74)
    #expect(refused.err.contains("ulimit -n"), "\(refused.err)")
  }

  @Test func `A clock before the program's own date is told`() async throws {
    #expect(ClockCheck.problem(ClockCheck.earliest) == nil)
    let box = try Sandbox()
    let (wrong, right) = (try OwnWorld(box, date: 0), try OwnWorld(box))
    for command in [["doctor"], ["devices"]] {
      let told = try await wrong.run(command, pin: false, expecting: nil)
      #expect(told.err.contains("1970-01-01"), "\(command): \(told.text)")
      let silent = try await right.run(command, pin: false, expecting: nil)
      #expect(!silent.err.contains("clock"), "\(silent.text)")
    }
    let checks = try await wrong.run(["doctor", "--json"], pin: false, expecting: nil).json()[
      "checks"]
    #expect(checks.items.contains { $0["name"].text == "clock" && $0["status"].text == "warning" })
  }
}
