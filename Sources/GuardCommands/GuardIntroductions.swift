internal import CSPP
internal import CommandKit
internal import GuardProtocol
internal import Unlocking

/// Asks servers who they are, before they become guards of a way in.
struct GuardIntroductions {
  let plan: GuardAddition.Plan
  let caller: GuardCaller

  /// The guards at the addresses of the plan, in their order.
  ///
  /// - Throws: `guards-unreachable`; `guard-wrong`, also for another guard than the named one;
  ///   `usage` for two addresses of one guard, and for a guard that does not offer what is wanted.
  func servers() throws(UserMessage) -> [AskedGuard] {
    let answers = try caller.infos(plan.guards.map(\.url))
    var servers: [AskedGuard] = []
    for (named, answer) in zip(plan.guards, answers) {
      let url = named.url
      switch answer {
      case .failure(let fault):
        throw UserMessage(
          fault.isWrong ? .dataInvalid : .noAuthenticator,
          word: fault.isWrong ? "guard-wrong" : "guards-unreachable",
          "the guard at \(PrintableText.name(url.host, limit: 120)) does not help: \(fault.text)",
          hint: "all guards must answer when a way in is made\n"
            + "check the address; for a certificate of your own: --guard-ca FILE")
      case .success(let info):
        let server = AskedGuard(guardID: info.guardID, url: url)
        try require(named, server)
        try requireOffer(info, at: url)
        servers.append(server)
      }
    }
    for (place, server) in servers.enumerated() {
      guard let other = servers[..<place].first(where: { $0.guardID == server.guardID }) else {
        continue
      }
      throw UserMessage(
        .usage, "\(other.name) and \(server.name) are one guard",
        hint: "choose guards that different people run")
    }
    return servers
  }

  private func require(_ named: NamedGuard, _ server: AskedGuard) throws(UserMessage) {
    guard let id = named.guardID, id != server.guardID else { return }
    throw UserMessage(
      .dataInvalid, word: "guard-wrong",
      "another guard than \(id.hex) answers: \(server.title)",
      hint: "nothing was made\nask the guard's operator for its address and its ID")
  }

  private func requireOffer(_ info: GuardInfo, at url: ServiceURL) throws(UserMessage) {
    let lacking: String?
    switch plan.kind {
    case .pin(let schedule, _):
      lacking = info.schedules.contains(schedule) ? nil : "the schedule \(schedule.rawValue)"
    case .login(let issuer, _, _):
      lacking = info.issuers.contains(issuer.text) ? nil : "logins at \(issuer.host)"
    }
    guard let lacking else { return }
    throw UserMessage(
      .usage, "the guard at \(PrintableText.name(url.host, limit: 120)) does not offer \(lacking)",
      hint: "ask its operator, or choose another guard")
  }
}
