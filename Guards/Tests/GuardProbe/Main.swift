internal import CSPP
internal import Foundation
internal import GuardProtocol
internal import GuardService
internal import SecretMemory

/// `guard-probe sqlite|postgresql PLACE REQUESTS`: a guard that answers the lines of a file.
///
/// A line is a path, a key, a signature and the digits of a body; an answer is a status and the
/// digits of its body. Its server key is 32 times the byte 7.
///
/// `guard-probe key FILE`: makes a server key.
@main
struct Main {
  static func main() async throws {
    let words = CommandLine.arguments
    if words.count == 3, words[1] == "key" {
      print(try ServerKey.create(words[2]).guardID.hex)
      return
    }
    guard words.count == 4 else { exit(64) }
    let store: GuardStore =
      words[1] == "sqlite"
      ? try await .sqlite(words[2]) : try await .postgreSQL(words[2])
    let sevens = [UInt8](repeating: 7, count: 32)
    let key = try ServerKey(unsafe SecretBytes(copying: sevens.span.bytes))
    let accounts = try await GuardAccountService(
      store: store, key: key, options: GuardAccountService.Options(wantsInvites: false))
    for line in try String(contentsOfFile: words[3], encoding: .utf8).split(separator: "\n") {
      let parts = line.split(separator: " ").map { String($0) }
      guard parts.count == 4, let call = GuardCall.allCases.first(where: { $0.path == parts[0] }),
        let body = unsafe Hex.decode(Array(parts[3].utf8).span.bytes)
      else { exit(65) }
      let answer = await accounts.answer(call, body: body, key: parts[1], signature: parts[2])
      // At once: the process may be killed in the next moment.
      let text = Array("\(answer.status) \(Hex.string(answer.body))\n".utf8)
      _ = unsafe text.withUnsafeBytes { unsafe write(1, $0.baseAddress, $0.count) }
    }
    await store.close()
  }
}
