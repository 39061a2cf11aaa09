import CommandSupport
import Testing

@testable import CommandKit

/// The environment variables by their bytes: a repaired path would be another one.
@Suite struct VariableTests {
  private func variables(_ lines: [[UInt8]]) -> ProcessVariables {
    ProcessVariables(lines.map { $0.map { CChar(bitPattern: $0) } + [0] })
  }

  @Test func `Variables that are read are UTF-8 or refused, and others stay as they are`() {
    let bad: [UInt8] = Array("/b".utf8) + [0xFC]
    let home = Array("HOME=/home/m\u{FC}".utf8)
    let other = Array("PWD=".utf8) + bad
    let known = variables([home, other, [0xFF] + Array("=x".utf8), Array("nothing".utf8)])
    #expect(known.values == ["HOME": "/home/m\u{FC}"])
    #expect(known.others.count == 2)
    #expect(known.refused == nil)
    #expect(known.refusal == nil)
    for name in [
      "KEYBACKUP_FOLDER", "KEYBACKUP_ASKPASS", "KEYBACKUP_PIN_FILE", "KEYBACKUP_ANY", "HOME",
      "PATH",
      "TMPDIR", "CREDENTIALS_DIRECTORY", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR",
      "SSH_ASKPASS", "STATE_DIRECTORY",
    ] {
      let read = variables([other, Array("\(name)=".utf8) + bad])
      #expect(read.refused == name)
      #expect(read.values[name] == nil)
      #expect(read.refusal?.code == .usage)
      #expect(read.refusal?.message.contains(name) == true)
    }
    // The name is shown, so it must not write on the terminal.
    #expect(variables([Array("KEYBACKUP_\u{1B}[31m=".utf8) + bad]).refused == nil)
  }

  @Test(arguments: ["KEYBACKUP_FOLDER", "HOME", "XDG_STATE_HOME"])
  func `A path that is not UTF-8 makes no other folder`(_ name: String) async throws {
    let box = try Sandbox()
    let before = Files.tree(box.root)
    let script = #"export "$1=$2/$(printf 'b\374d')"; shift 2; exec "$@""#
    let refused = try await box.keybackup(
      ["init"], wrapper: ["sh", "-c", script, "sh", name, box.root], expecting: 64)
    #expect(refused.err.contains("\(name) is not UTF-8; nothing was done"), "\(refused.text)")
    #expect(Files.tree(box.root).filter { !["key.json", "trace"].contains($0) } == before)
  }
}
