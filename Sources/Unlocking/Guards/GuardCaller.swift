package import CSPP
package import CommandKit
package import GuardProtocol

/// Asks guards: signs, sends several requests at once, reads the answers strictly.
package struct GuardCaller {
  /// One signed request.
  package struct Call {
    /// The guard.
    package let server: AskedGuard
    /// The call.
    package let call: GuardCall
    /// The body.
    package let body: [UInt8]
    /// Key and signature.
    package let signature: GuardSignature?

    /// Signs a message for a guard.
    package init(
      _ call: GuardCall, _ message: some GuardMessage, to server: AskedGuard,
      by signer: borrowing GuardSigner
    ) {
      self.server = server
      self.call = call
      body = message.body
      signature = GuardSignature(call, body: body, guardID: server.guardID, by: signer)
    }
  }

  /// An answer over HTTP, or why there is none.
  typealias Answer = Result<(status: Int, body: [UInt8], signature: GuardSignature?), GuardFault>

  private let program: GuardProgram
  private let prompter: Prompter

  /// The time limit of a request in milliseconds.
  private static let timeout: Int64 = 15_000

  package init(
    _ options: GuardAddressOptions, _ common: CommonOptions, _ world: World
  ) throws(UserMessage) {
    program = try GuardProgram(trusting: options.certificates(world), world)
    prompter = common.prompter(world)
  }

  /// The program, for a login.
  package var login: GuardProgram { program }

  /// Sends requests at once and reads the answers.
  ///
  /// - Parameters:
  ///   - calls: the requests.
  ///   - type: the type of the answers.
  ///   - repeats: how often a request is sent again, byte for byte, that got no answer of a guard.
  ///     It gives the answer of an evaluation again without spending a try.
  /// - Returns: the message of each answer, in the order of the requests.
  /// - Throws: `interrupted`; `io` where the program that asks is gone.
  package func answers<Message: GuardMessage>(
    to calls: [Call], as type: Message.Type, repeats: Int = 0
  ) throws(UserMessage) -> [Result<Message, GuardFault>] {
    var answers = [Result<Message, GuardFault>](
      repeating: .failure(.missing("it gave no answer")), count: calls.count)
    for _ in 0...repeats {
      let lost = answers.indices.filter { answers[$0].isLost }
      if lost.isEmpty { break }
      let found = try send(
        lost.map { (calls[$0].server.url, calls[$0].call, calls[$0].signature, calls[$0].body) })
      for (place, answer) in zip(lost, found) { answers[place] = Self.message(answer) }
    }
    return try namingOthers(answers, to: calls)
  }

  /// The answers, where a refused signature is explained: a guard takes none for another one.
  private func namingOthers<Message: GuardMessage>(
    _ answers: [Result<Message, GuardFault>], to calls: [Call]
  ) throws(UserMessage) -> [Result<Message, GuardFault>] {
    var answers = answers
    let refused = answers.indices.filter {
      if case .failure(.refused(.unauthorised)) = answers[$0] { true } else { false }
    }
    if refused.isEmpty { return answers }
    for (place, info) in zip(refused, try infos(refused.map { calls[$0].server.url })) {
      guard case .success(let other) = info, other.guardID != calls[place].server.guardID else {
        continue
      }
      answers[place] = .failure(
        .missing("this address belongs to another guard, \(other.guardID.hex)"))
    }
    return answers
  }

  /// Asks servers for their descriptions, each signed by the guard that it is from.
  ///
  /// - Throws: as ``answers(to:as:repeats:)``.
  package func infos(_ urls: [ServiceURL]) throws(UserMessage) -> [Result<GuardInfo, GuardFault>] {
    try send(urls.map { ($0, .info, nil, []) }).map { answer in
      guard case .success(let found) = answer else { return Self.message(answer) }
      let message: Result<GuardInfo, GuardFault> = Self.message(answer)
      return message.flatMap { info in
        guard let signature = found.signature, signature.key == info.guardKey,
          (try? signature.verify(.info, body: found.body, guardID: info.guardID)) != nil
        else { return .failure(.wrong("the guard did not sign its description")) }
        return .success(info)
      }
    }
  }

  private func send(
    _ requests: [(ServiceURL, GuardCall, GuardSignature?, [UInt8])]
  ) throws(UserMessage) -> [Answer] {
    guard let call = requests.first?.1 else { return [] }
    prompter.events.send(.guards(call: call.path, count: requests.count, waiting: []))
    var places: [Int: Int] = [:]
    for (place, (url, call, signature, body)) in requests.enumerated() {
      let id = program.nextID()
      places[id] = place
      try program.send(
        GuardLine.Request(
          id: id, url: url, call: call, signature: signature, body: body, timeout: Self.timeout
        ).text)
    }
    var answers = [Answer](
      repeating: .failure(.missing("it gave no answer")), count: requests.count)
    var wait = GuardWait(
      from: HelperProgram.now(), until: HelperProgram.now() + Self.timeout + GuardProgram.slack)
    while !places.isEmpty {
      guard let reply = try program.receive(until: wait.next) else {
        guard let seconds = wait.secondsLeft() else { break }
        tell(places.values.sorted().map { requests[$0].0 }, call, seconds)
        continue
      }
      // A late answer to an earlier request belongs to none of these.
      guard let place = places.removeValue(forKey: reply.id) else { continue }
      answers[place] = Self.answer(reply)
    }
    return answers
  }

  /// Tells whom a run waits for, before a person takes it for stuck.
  private func tell(_ urls: [ServiceURL], _ call: GuardCall, _ seconds: Int64) {
    let hosts = urls.map { PrintableText.name($0.host, limit: 120) }
    prompter.events.send(.guards(call: call.path, count: urls.count, waiting: hosts))
    prompter.tell("Waiting for \(hosts.joined(separator: ", ")) (\(seconds) s left).")
  }

  private static func answer(_ reply: GuardLine.Reply) -> Answer {
    switch reply.content {
    case .answer(let status, let body, let key, let signature):
      guard body.count <= GuardCall.maximumBodySize else {
        return .failure(.wrong("it is too large"))
      }
      let signed = key.flatMap { key in
        signature.flatMap { try? GuardSignature(key: key, signature: $0) }
      }
      return .success((status, body, signed))
    case .failure(let reason, let detail):
      return .failure(Self.fault(reason, PrintableText.name(detail, limit: 200)))
    case .authorize, .token:
      return .failure(.missing("it gave no answer"))
    }
  }

  private static func fault(_ reason: String, _ detail: String) -> GuardFault {
    switch reason {
    case "timeout": .missing("it gave no answer in time")
    case "tls": .missing(detail.isEmpty ? "it does not speak TLS" : detail)
    case "redirect": .wrong("it redirects to another address, which is not followed")
    case "too-large": .wrong("it is too large")
    case "protocol": .wrong("it is not HTTP")
    case "unreachable": .missing("it does not answer")
    default: .missing(detail.isEmpty ? "it cannot be reached" : "it cannot be reached: \(detail)")
    }
  }

  /// The message of an answer.
  private static func message<Message: GuardMessage>(
    _ answer: Answer
  ) -> Result<Message, GuardFault> {
    answer.flatMap { status, body, _ in
      guard status != 200 else {
        guard let message = try? unsafe Message(parsing: body.span.bytes) else {
          return .failure(.wrong("it does not keep to the protocol"))
        }
        return .success(message)
      }
      guard let refusal = try? unsafe RefusalAnswer(parsing: body.span.bytes),
        refusal.status == status
      else {
        if status == 404 || status == 410 { return .failure(.gone(status: status)) }
        // A proxy in front of a guard answers so too.
        return .failure(.missing("it answered with HTTP's status \(status)"))
      }
      // The guard is elsewhere: this one decides nothing.
      if refusal.refusal == .stopped { return .failure(.missing(refusal.refusal.text)) }
      return .failure(.refused(refusal.refusal))
    }
  }
}

extension Result where Failure == GuardFault {
  /// Whether the same request may bring an answer.
  fileprivate var isLost: Bool { if case .failure(.missing) = self { true } else { false } }
}

/// A wait for the answers of guards: when a person is told about it, and when it ends.
///
/// Times are milliseconds of ``HelperProgram/now()``.
struct GuardWait {
  /// Milliseconds of silence after which a person is told.
  static let patience: Int64 = 3000

  /// The time until which the next answer is waited for.
  private(set) var next: Int64
  private let end: Int64

  /// Begins a wait.
  ///
  /// - Parameters:
  ///   - begin: now.
  ///   - end: when nothing is waited for any more.
  init(from begin: Int64, until end: Int64) {
    next = min(begin + Self.patience, end)
    self.end = end
  }

  /// Takes the end of ``next``.
  ///
  /// - Returns: the seconds that are left, to be told once; nil: the time is over.
  mutating func secondsLeft() -> Int64? {
    guard next < end else { return nil }
    defer { next = end }
    return (end - next + 999) / 1000
  }
}
