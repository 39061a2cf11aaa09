internal import GuardProtocol
internal import Synchronization

// This folder is for the program: which requests and logins are under way, and who answers what.

/// The requests and logins under way, by their IDs.
///
/// Each ends with exactly one line. Several overlap.
final class Conversations: Sendable {
  /// The most requests and logins at a time.
  static let maximum = 64
  /// The most lines that wait until the parent reads them.
  static let maximumUnwritten = 256

  private struct Conversation {
    let task: Task<Void, Never>
    /// Where a pasted redirect goes; nil for a request.
    let redirects: AsyncStream<String>.Continuation?
  }

  private struct State {
    var open: [UInt64: Conversation] = [:]
    var unwritten = 0
  }

  private let state = Mutex(State())
  private let web: WebClient
  private let output: LineOutput

  init(_ web: WebClient, _ output: LineOutput) {
    self.web = web
    self.output = output
  }

  /// Whether the parent has to read answers before it can ask more.
  var isFull: Bool { state.withLock { $0.unwritten >= Self.maximumUnwritten } }

  /// Takes a line from the parent; nil stands for one that is too long.
  func take(_ bytes: [UInt8]?) {
    guard let bytes else {
      return send(.failure(0, AskFailure(.protocol, "a line is longer than 256 KiB")))
    }
    let line = AskLine(bytes)
    switch line.content {
    case .failure(let failure): refuse(line.id, failure)
    case .success(.cancel): state.withLock { $0.open[line.id]?.task.cancel() }
    case .success(.redirect(let address)):
      // One that comes after the end of its login changes nothing.
      state.withLock { _ = $0.open[line.id]?.redirects?.yield(address) }
    case .success(.request(let request)):
      begin(line.id, redirects: nil) { [web] in
        await GuardExchange(request).line(line.id, over: web)
      }
    case .success(.login(let login)):
      let (addresses, redirects) = AsyncStream.makeStream(
        of: String.self, bufferingPolicy: .bufferingNewest(8))
      begin(line.id, redirects: redirects) { [web, output] in
        let flow = LoginFlow(login, pasted: addresses, over: web)
        return await flow.line(line.id) { await output.write($0) }
      }
    }
  }

  /// Starts a conversation, unless its ID is in use or there are too many.
  private func begin(
    _ id: UInt64, redirects: AsyncStream<String>.Continuation?,
    _ work: @escaping @Sendable () async -> AnswerLine
  ) {
    let refusal: AskFailure? = state.withLock { state in
      if state.open[id] != nil { return AskFailure(.protocol, "the id is in use") }
      if state.open.count >= Self.maximum {
        return AskFailure(.protocol, "more than \(Self.maximum) requests at a time")
      }
      // It cannot end before it is in the table: its end takes this lock, too.
      let task = Task {
        let line = await work()
        self.end(id, line)
      }
      state.open[id] = Conversation(task: task, redirects: redirects)
      return nil
    }
    if let refusal { refuse(id, refusal) }
  }

  private func end(_ id: UInt64, _ line: AnswerLine) {
    state.withLock { _ = $0.open.removeValue(forKey: id) }
    send(line)
  }

  /// Answers a line that begins nothing.
  ///
  /// If its ID belongs to a conversation under way, 0 stands for it: that one has not ended.
  private func refuse(_ id: UInt64, _ failure: AskFailure) {
    let isOpen = state.withLock { $0.open[id] != nil }
    send(.failure(isOpen ? 0 : id, failure))
  }

  private func send(_ line: AnswerLine) {
    state.withLock { $0.unwritten += 1 }
    Task {
      await output.write(line)
      state.withLock { $0.unwritten -= 1 }
    }
  }
}
