import Foundation
import SecretMemory
import TestSupport
import Testing

@testable import CSPP

@Suite("Authorising lines")
struct AuthorisingLineTests {
  private static let answerSecret = [UInt8](repeating: 0x61, count: 32)

  private func request(_ label: String = "node") throws -> WriterRequest {
    try WriterRequest(
      writerID: Silent.writerID, signer: Silent.signer(), answerSecret: secret(Self.answerSecret),
      label: Silent.name(label))
  }

  private func answer(_ request: WriterRequest) throws -> String {
    try WriterAnswer.line(
      to: request, masterKey: Sample.masterKey(), may: [.filePut, .put], after: Silent.after)
  }

  private func mistake(_ line: String) -> AuthorisingLineMistake? {
    do throws(AuthorisingLineMistake) {
      _ = try WriterRequest(parsing: line)
      return nil
    } catch {
      return error
    }
  }

  private func mistake(
    _ answer: String, _ request: WriterRequest, _ answerSecret: [UInt8] = answerSecret
  ) -> AuthorisingLineMistake? {
    do throws(AuthorisingLineMistake) {
      _ = try WriterAnswer(opening: answer, to: request, answerSecret: secret(answerSecret))
      return nil
    } catch {
      return error
    }
  }

  @Test
  func `A request and its answer bring all that a silent writer needs`() throws {
    let request = try request("Knoten ☂")
    #expect(request.line.hasPrefix("keybackup-writer1"))
    let read = try WriterRequest(parsing: request.line)
    #expect(read == request && read.fingerprint == request.fingerprint)
    #expect(read.label.text == "Knoten ☂")
    let line = try answer(read)
    #expect(line.hasPrefix("keybackup-inbox1") && line.utf8.count < 400)
    let answer = try WriterAnswer(
      opening: line, to: request, answerSecret: secret(Self.answerSecret))
    let masterKey = try Sample.masterKey()
    #expect(answer.namespaceID == masterKey.namespaceID && answer.may == [.filePut, .put])
    #expect(answer.inbox == InboxPair(of: masterKey).publicKey && answer.after == Silent.after)
    #expect(answer.writerSecret.revealed == masterKey.writerSecret(request.identity).revealed)
    let word = try WriterAnswer.fingerprint(of: line, to: request)
    #expect(word.count == 19 && word != request.fingerprint)
  }

  @Test
  func `White space and capital letters do not matter, mixed letters do`() throws {
    let request = try request()
    let line = request.line
    #expect(try WriterRequest(parsing: line.uppercased()) == request)
    let broken = line.enumerated().map { $0 % 70 == 69 ? "\($1)\r\n  " : "\($1)" }.joined()
    #expect(try WriterRequest(parsing: " \(broken)\n") == request)
    #expect(mistake("K" + line.dropFirst()) == .mistyped)
  }

  @Test
  func `Every wrong, missing, added and exchanged character is noticed`() throws {
    let request = try request()
    let answer = try answer(request)
    for line in [request.line, answer] {
      func refused(_ characters: [Character]) -> Bool {
        line == answer
          ? mistake(String(characters), request) != nil : mistake(String(characters)) != nil
      }
      let characters = Array(line)
      #expect(!refused(characters))
      for place in characters.indices {
        for letter in "q8lx1b" where letter != characters[place] {
          var changed = characters
          changed[place] = letter
          #expect(refused(changed))
        }
        var changed = characters
        changed.remove(at: place)
        #expect(refused(changed))
        changed = characters
        changed.insert("q", at: place)
        #expect(refused(changed))
        if place > 0, characters[place] != characters[place - 1] {
          changed = characters
          changed.swapAt(place, place - 1)
          #expect(refused(changed))
        }
      }
    }
  }

  @Test
  func `Refused contents`() throws {
    let good = try request()
    func line(
      version: UInt8 = 1, key: [UInt8]? = nil, answer: [UInt8]? = nil, label: [UInt8] = [0x61],
      prefix: String = "keybackup-writer"
    ) -> String {
      let bytes =
        [version] + good.writerID.bytes + (key ?? good.signingKey.bytes)
        + (answer ?? good.answerKey.bytes) + label
      return AuthorisingLine.encode(bytes, prefix: prefix)
    }
    #expect(mistake(line()) == nil)
    #expect(mistake(line(version: 2)) == .unsupportedVersion)
    #expect(mistake(line(label: [])) == .invalid("label"))
    #expect(mistake(line(label: [0xFF])) == .invalid("label"))
    #expect(mistake(line(label: Array("../x".utf8))) == .invalid("label"))
    #expect(mistake(line(label: Array("a\u{1B}".utf8))) == .invalid("label"))
    #expect(mistake(line(prefix: "keybackup-inbox")) == .otherKind)
    #expect(mistake("") == .otherKind && mistake("keybackup-writer") == .otherKind)
    #expect(mistake("keybackup-writer1") == .mistyped)
    #expect(mistake(AuthorisingLine.encode([1], prefix: "keybackup-writer")) == .invalid("size"))
    #expect(mistake(AuthorisingLine.encode([], prefix: "keybackup-writer")) != nil)
    #expect(mistake(line(label: [UInt8](repeating: 0x61, count: 600))) == .mistyped)
    for point: SigningKey in try Vectors.points("ed25519-refused") {
      #expect(mistake(line(key: point.bytes)) == .invalid("signing key"))
    }
    for point: X25519Key in try Vectors.points("x25519-low-order") {
      #expect(mistake(line(answer: point.bytes)) == .invalid("answer key"))
    }
    // The checksum of Bech32 is none of Bech32m.
    let values = Bech32.values(of: secret([1] + [UInt8](repeating: 3, count: 90)))
    let old = Bech32.encode(prefix: "keybackup-writer", values: values).text
    #expect(mistake(old) == .mistyped)
  }

  @Test
  func `An answer fits one request`() throws {
    let request = try request()
    let line = try answer(request)
    #expect(mistake(line, request) == nil)
    #expect(mistake(line, try self.request("other")) == .otherRequest)
    #expect(mistake(line, request, [UInt8](repeating: 1, count: 32)) == .otherRequest)
    #expect(mistake(request.line, request) == .otherKind)
    func sealed(_ text: [UInt8]) throws -> String {
      let box = try unsafe SealedBox.seal(text.span.bytes, to: request.answerKey.bytes)
      return AuthorisingLine.encode([1] + box, prefix: "keybackup-inbox")
    }
    let inbox = InboxPair(of: MasterKey.random()).publicKey.bytes
    let digest = request.digest.bytes
    let rest = [UInt8](repeating: 0, count: 49 + 23) + [1] + [UInt8](repeating: 0, count: 32)
    let namespace = [UInt8](repeating: 2, count: 16)
    #expect(mistake(try sealed(digest + namespace + inbox + rest), request) == .invalid("size"))
    let text = digest + namespace + inbox + [UInt8](repeating: 0, count: 49)
    let name = [UInt8](repeating: 0, count: 7) + [1] + [UInt8](repeating: 0, count: 32)
    #expect(mistake(try sealed(text + name), request) == nil)
    var wrong = text
    wrong.replaceSubrange(48..<80, with: [UInt8](repeating: 0, count: 32))
    #expect(mistake(try sealed(wrong + name), request) == .invalid("inbox"))
    let zero = [UInt8](repeating: 0, count: 40)
    #expect(mistake(try sealed(text + zero), request) == .invalid("counter"))
  }

  @Test
  func `Who exchanged the keys of a request passes the answer on, and only the words differ`()
    throws
  {
    let request = try request()
    let attacker = SigningPair.random()
    let own = [UInt8](repeating: 0x62, count: 32)
    let exchanged = try WriterRequest(
      writerID: request.writerID, signer: attacker, answerSecret: secret(own),
      label: request.label)
    let box = Array(
      try AuthorisingLine.decode(answer(exchanged), prefix: "keybackup-inbox").dropFirst())
    var text = try SealedBox.open(box, secret: secret(own)).revealed
    text.replaceSubrange(..<32, with: request.digest.bytes)
    let again = try unsafe SealedBox.seal(text.span.bytes, to: request.answerKey.bytes)
    let line = AuthorisingLine.encode([1] + again, prefix: "keybackup-inbox")
    #expect(mistake(line, request) == nil)
    #expect(request.fingerprint != exchanged.fingerprint)
    #expect(
      try WriterAnswer.fingerprint(of: line, to: request)
        != WriterAnswer.fingerprint(of: answer(exchanged), to: exchanged))
    // The answer without the attacker's work is noticed.
    #expect(mistake(try answer(exchanged), request) == .otherRequest)
  }

  @Test
  func `Exchanged keys change the words that people compare`() throws {
    let request = try request()
    let signing = try WriterRequest(
      writerID: Silent.writerID, signer: .random(), answerSecret: secret(Self.answerSecret),
      label: request.label)
    let sealing = try WriterRequest(
      writerID: Silent.writerID, signer: Silent.signer(), answerSecret: .random(count: 32),
      label: request.label)
    let words = [request, signing, sealing, try self.request("x")].map(\.fingerprint)
    #expect(Set(words).count == 4)
    // Another's inbox in an answer to the same request.
    let own = try answer(request)
    let forged = try WriterAnswer.line(
      to: request, masterKey: .random(), may: [.filePut], after: Silent.after)
    #expect(mistake(forged, request) == nil)
    #expect(
      try WriterAnswer.fingerprint(of: own, to: request)
        != WriterAnswer.fingerprint(of: forged, to: request))
  }

  @Test
  func `Anything at all is a request or refused`() throws {
    var random = SeededGenerator(seed: 1608)
    let good = Array(try request().line)
    for round in 0..<3000 {
      var changed = good
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<changed.count, using: &random)
        changed[place] = "qpzry9x8gf2tvdw0s3jn54khce6mua7l1 -".randomElement(using: &random) ?? "q"
      }
      let found = try? WriterRequest(parsing: String(changed))
      #expect(found == nil || found?.line == String(good), "seed 1608, round \(round)")
    }
  }
}
