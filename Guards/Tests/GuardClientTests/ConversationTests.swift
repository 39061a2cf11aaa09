import Foundation
import Glibc
import GuardTestSupport
import Synchronization
import TestSupport
import Testing

/// Many requests at a time, cancelling, and the child's end.
@Suite(.serialized) struct ConversationTests {
  @Test func `Slow servers do not keep others from answering`() async throws {
    let server = try await SharedServer.server()
    let child = try AskChild()
    for id in 1...30 {
      child.program.send(line: Lines.info(id, at: server.url("silent"), milliseconds: 9000))
    }
    for id in 31...60 { child.program.send(line: Lines.info(id, at: server.url("echo"))) }
    var lines: [AskedLine] = []
    for _ in 1...60 { lines.append(try await child.line()) }
    #expect(lines[0].answer != nil, "\(lines[0])")
    #expect(Set(lines.filter { $0.answer != nil }.map(\.id)) == Set(31...60))
    #expect(Set(lines.filter { $0.failure?.reason == "timeout" }.map(\.id)) == Set(1...30))
  }

  @Test func `More than 64 requests at a time are refused, and none is lost`() async throws {
    let server = try await SharedServer.server()
    let child = try AskChild()
    for id in 1...200 {
      child.program.send(line: Lines.info(id, at: server.url("silent"), milliseconds: 3000))
    }
    var reasons: [String: Int] = [:]
    var ids: Set<Int> = []
    for _ in 1...200 {
      let line = try await child.line()
      ids.insert(line.id)
      reasons[line.failure?.reason ?? "", default: 0] += 1
    }
    #expect(ids == Set(1...200))
    #expect(reasons.keys.sorted() == ["protocol", "timeout"])
    #expect(reasons["timeout"] ?? 0 >= 64)
  }

  @Test func `A cancelled request ends at once, and only once`() async throws {
    let server = try await SharedServer.server()
    let child = try AskChild()
    child.program.send(line: Lines.info(1, at: server.url("silent"), milliseconds: 600_000))
    let line = try await child.ask(#"{"id":1,"cancel":true}"#)
    #expect(line.id == 1)
    #expect(line.failure?.reason == "cancelled")
    child.program.send(line: #"{"id":1,"cancel":true}"#)
    #expect(try await child.info(2, at: server.url("echo")).id == 2)
  }

  @Test func `The end of standard input ends the child in the middle of requests`() async throws {
    let server = try await SharedServer.server()
    let child = try AskChild()
    for (id, behaviour) in ["silent", "slow-body", "silent-body"].enumerated() {
      child.program.send(
        line: Lines.info(id + 1, at: server.url(behaviour), milliseconds: 600_000))
    }
    #expect(try await child.info(9, at: server.url("echo")).id == 9)
    child.program.closeInput()
    #expect(try await child.program.ending() == 0)
  }

  @Test func `A parent that reads nothing stops the child's reading, and can still end it`()
    async throws
  {
    let child = try AskChild()
    _ = try await child.ask("{}")
    // More refusals than a pipe and the child's queue hold.
    let sent = Mutex(0)
    let hasEnded = Mutex(false)
    // Tasks have as few threads as there are processors, and this one blocks.
    Thread.detachNewThread {
      while sent.withLock({ $0 < 200_000 }), child.program.send(line: "no line of this protocol") {
        sent.withLock { $0 += 1 }
      }
      hasEnded.withLock { $0 = true }
    }
    // It has stopped when nothing was taken for a while.
    var before = -1
    try await waitUntil("the child takes no more", every: .seconds(1)) {
      defer { before = sent.withLock { $0 } }
      return sent.withLock { $0 } == before ? nil : "\(before) lines"
    }
    let status = try String(
      contentsOf: URL(filePath: "/proc/\(child.program.process)/status"), encoding: .utf8)
    let memory = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    let kilobytes = memory?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    #expect(try #require(kilobytes, "\(status)") < 200_000)
    kill(child.program.process, SIGTERM)
    #expect(try await child.program.ending() == 128 + SIGTERM)
    try await waitUntil("the writer has ended") { hasEnded.withLock { $0 } ? nil : "it writes" }
    #expect(sent.withLock { $0 } < 200_000)
  }

  @Test func `A parent that reads nothing and closes its end is not waited for`() async throws {
    let child = try AskChild()
    _ = try await child.ask("{}")
    // More refusals than the child's output holds.
    child.program.send([UInt8](repeating: 0x0A, count: 6000))
    try await Task.sleep(for: .seconds(1))
    child.program.closeInput()
    #expect(try await child.program.ending() == 0)
  }

  @Test func `A parent that is gone ends the child by an exit code, not by a signal`() throws {
    // Lines until the child has ended: the first may come before its parent is gone.
    let script = """
      ended=$(mktemp -u)
      (until [ -e "$ended" ]; do echo x; sleep 0.1; done) 2>/dev/null | \
      (\(BuiltProduct.path("keybackup-guard")) ask; echo "code $?" >&2; : >"$ended") | exit 0
      rm "$ended"
      """
    let run = try FinishedProgram(["/bin/bash", "-c", script])
    #expect(run.output == "code 74\n")
  }

  @Test func `The child writes no core dumps, and nobody reads its memory`() async throws {
    let child = try AskChild()
    #expect(try await child.ask("{}").failure?.reason == "protocol")
    let limits = try String(
      contentsOf: URL(filePath: "/proc/\(child.program.process)/limits"), encoding: .utf8)
    let core = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core") })
    #expect(core.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
  }
}
