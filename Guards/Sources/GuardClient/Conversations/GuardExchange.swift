internal import GuardProtocol

/// One call to a guard, as the parent signed it.
struct GuardExchange: Sendable {
  private let request: AskedRequest

  init(_ request: AskedRequest) { self.request = request }

  /// Asks, and puts the answer or the failure into a line.
  func line(_ id: UInt64, over web: WebClient) async -> AnswerLine {
    do throws(AskFailure) {
      let deadline = ContinuousClock.now + request.limit
      let address = try WebAddress(request.url).appending(request.call.path)
      var headers = [("Accept", "application/json")]
      if request.body != nil { headers.append(("Content-Type", "application/json")) }
      if let key = request.key { headers.append((GuardSignature.keyHeader, key)) }
      if let signature = request.signature {
        headers.append((GuardSignature.signatureHeader, signature))
      }
      let answer = try await web.answer(
        to: WebRequest(
          address: address, method: request.call.method, headers: headers,
          body: request.body.map { Array($0.utf8) }),
        until: deadline)
      return .answer(
        id, status: answer.status, body: try Self.text(answer.body),
        key: Self.digits(answer, GuardSignature.keyHeader),
        signature: Self.digits(answer, GuardSignature.signatureHeader))
    } catch {
      return .failure(id, error)
    }
  }

  /// A body as text that a line can hold without growing beyond its limit.
  private static func text(_ body: [UInt8]) throws(AskFailure) -> String {
    let isPlain = body.allSatisfy { $0 >= 0x20 || [0x09, 0x0A, 0x0D].contains($0) }
    guard isPlain, let text = String(validating: body, as: UTF8.self) else {
      throw AskFailure(.protocol, "the answer is not text")
    }
    return text
  }

  private static func digits(_ answer: WebAnswer, _ name: String) -> String? {
    guard let value = answer.header(name), value.utf8.count <= 128, LowerCaseDigits.areIn(value)
    else { return nil }
    return value
  }
}
