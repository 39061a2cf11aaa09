import Testing

@testable import CommandKit

/// Lines that authorise a computer, and what is wrong with them.
@Suite struct WriterLineTests {
  @Test func `A mistyped or cut line is refused and a broken one is taken`() async throws {
    let computers = try await FileComputers()
    let line = try #require(
      try await computers.server(["writers", "request", "--json"]).json()["line"].text)
    let seen = try await computers.box.traced {
      for (wrong, says) in [
        (String(line.dropLast()), "copied wrongly"),
        (line.dropLast() + (line.hasSuffix("q") ? "p" : "q"), "copied wrongly"),
        ("keybackup-inbox1" + line.dropFirst(17), "begins with keybackup-writer1"),
        ("xyz", "begins with keybackup-writer1"),
      ] as [(String, String)] {
        let outcome = try await computers.laptop(["writers", "authorise", wrong], expecting: nil)
        expectFailure(outcome, 65, says: says)
      }
    }
    #expect(seen.isEmpty, "the key was asked although nothing could come of it: \(seen)")
    // As a terminal breaks it, and as a QR code has it.
    let broken = line.uppercased().enumerated().map {
      $0.offset % 60 == 59 ? "\($0.element)\n" : "\($0.element)"
    }
    .joined()
    let answer = try await computers.laptop(
      ["writers", "authorise", "-", "--yes", "--json"], input: broken
    ).json()
    let answerLine = try #require(answer["line"].text)
    let damaged = try await computers.server(
      ["writers", "accept", String(answerLine.dropLast(3))], expecting: nil)
    expectFailure(damaged, 65, says: "copied wrongly")
    let isRequest = try await computers.server(["writers", "accept", line], expecting: nil)
    expectFailure(isRequest, 65, says: "begins with keybackup-inbox1")
    try await computers.server(["writers", "accept", "-", "--yes"], input: answerLine)
    try await computers.serverAdds("works")
  }

  @Test func `An answer to another request is refused`() async throws {
    let computers = try await FileComputers()
    let other = try await computers.server(
      ["writers", "request", "--json"], home: computers.box.root + "/third"
    ).json()
    try await computers.server(["writers", "request"])
    let answer = try await computers.laptop(
      ["writers", "authorise", try #require(other["line"].text), "--yes", "--json"]
    ).json()
    let refused = try await computers.server(
      ["writers", "accept", try #require(answer["line"].text)], expecting: nil)
    expectFailure(refused, 65, says: "another request")
    // Without a request at all.
    let none = try await computers.server(
      ["writers", "accept", try #require(answer["line"].text)], home: computers.files,
      expecting: nil)
    expectFailure(none, 66, says: "keybackup writers request")
  }

  @Test func `A request that is authorised twice is one computer`() async throws {
    let computers = try await FileComputers()
    let line = try #require(
      try await computers.server(["writers", "request", "--json"]).json()["line"].text)
    try await computers.laptop(["writers", "authorise", line, "--yes"])
    let again = try await computers.laptop(["writers", "authorise", line, "--yes", "--json"]).json()
    let list = try await computers.laptop(["writers", "list", "--json"]).json()["silent"]
    #expect(list.items.count == 1 && list[0]["writer_id"] == again["writer_id"])
    try await computers.server(["writers", "accept", try #require(again["line"].text), "--yes"])
    try await computers.serverAdds("works")
  }

  /// Somebody may have exchanged the line on its way.
  @Test func `Where nobody can compare the fingerprints, --yes is needed`() async throws {
    let computers = try await FileComputers()
    let request = try await computers.server(["writers", "request", "--json"]).json()
    let line = try #require(request["line"].text)
    let unseen = try await computers.laptop(["writers", "authorise", line], expecting: nil)
    expectFailure(
      unseen, 64, says: try #require(request["fingerprint"].text), "run this again with --yes")
    let answer = try await computers.laptop(["writers", "authorise", line, "--yes", "--json"])
      .json()
    let answerLine = try #require(answer["line"].text)
    let ignored = try await computers.server(
      ["writers", "accept", answerLine], input: "y\n", expecting: nil)
    expectFailure(ignored, 64, says: try #require(answer["fingerprint"].text))
    try await computers.server(["writers", "accept", answerLine, "--yes"])
    try await computers.serverAdds("works")
  }

  @Test func `The fingerprints are compared on a terminal`() async throws {
    let computers = try await FileComputers()
    let request = try await computers.server(["writers", "request", "--json"]).json()
    let line = try #require(request["line"].text)
    let refused = try await computers.box.keybackup(
      ["writers", "authorise", line],
      terminal: [.expect(try #require(request["fingerprint"].text)), .type("n\n")], expecting: 85)
    #expect(!refused.screen.contains("keybackup-inbox1"), "\(refused.screen)")
    let list = try await computers.laptop(["writers", "list", "--json"]).json()
    #expect(list["silent"].items.isEmpty)
  }

  @Test func `A QR code holds the line`() async throws {
    let computers = try await FileComputers()
    let request = try await computers.server(["writers", "request", "--qr"])
    let line = request.out.trimmed
    let rows = request.err.split(separator: "\n").filter { $0.contains("\u{2588}") }
    #expect(rows.count > 20 && Set(rows.map(\.count)).count == 1, "\(request.err)")
    // As a picture, for another program to read.
    let side = rows[0].count
    var pixels = ""
    for row in rows {
      for isLower in [false, true] {
        let line = row.map { block in
          let isLight = block == "\u{2588}" || block == (isLower ? "\u{2584}" : "\u{2580}")
          return String(repeating: isLight ? "1 " : "0 ", count: 4)
        }.joined()
        pixels += String(repeating: line + "\n", count: 4)
      }
    }
    // PBM: 1 is black.
    let inverted = String(pixels.map { $0 == "1" ? "0" : $0 == "0" ? "1" : $0 })
    let path = computers.box.root + "/code.pbm"
    try Files.write("P1\n\(side * 4) \(rows.count * 8)\n\(inverted)", to: path)
    let scanned = try await computers.box.run(["zbarimg", "--raw", "-q", path], key: nil)
    #expect(scanned.out.trimmed.lowercased() == line, "\(scanned.text)")
    let ascii = try await computers.box.run(
      [Build.keybackup, "writers", "request", "--qr"], key: nil, environment: ["LANG": "C"])
    #expect(ascii.err.contains("cannot show the QR code") && ascii.code == 0, "\(ascii.text)")
  }

  @Test func `An answered request is given neither other rights nor another label`() async throws {
    let computers = try await FileComputers()
    let line = try #require(
      try await computers.server(["writers", "request", "--label", "node", "--json"])
        .json()["line"].text)
    let authorise = ["writers", "authorise", line, "--yes", "--json"]
    let first = try await computers.laptop(authorise).json()
    let refused = try await computers.laptop(authorise + ["--may", "all"], expecting: 73)
    #expect(refused.text.contains("was authorised already"), "\(refused.text)")
    let renamed = try await computers.laptop(authorise + ["--label", "other"], expecting: 73)
    #expect(renamed.text.contains("nothing was changed"), "\(renamed.text)")
    let again = try await computers.laptop(authorise + ["--label", "node"]).json()
    #expect(again["may"] == first["may"])
  }
}
