internal import CPCSC
internal import Synchronization

/// Queries every reader and its card, within a few seconds whatever the cards do.
struct ReaderSurvey {
  /// How long a card may take to tell whether it is a security key.
  static let patience: Duration = .seconds(3)

  /// Whether pcscd did not answer before; it is not waited for twice.
  private static let isSilent = Atomic(false)

  /// The contents of the readers, also when pcscd does not answer.
  ///
  /// The query may wait without end, in a thread that is then left behind.
  static func runWithinLimit() -> ReaderReport {
    let report = Condition<ReaderReport?>(nil)
    let silence = ReaderReport(service: .noAnswer, readers: [])
    if isSilent.load(ordering: .relaxed) { return silence }
    do throws(PRFDeviceError) {
      try BackgroundThread.start {
        let found = run()
        report.change { $0 = found }
      }
    } catch {
      return silence
    }
    // The time for the cards, and a little more for pcscd.
    let limit = MonotonicTime.now().advanced(by: patience + .seconds(1))
    return report.wait { report in
      if let report { return .done(report) }
      guard MonotonicTime.now() >= limit else { return .waitUntil(limit) }
      isSilent.store(true, ordering: .relaxed)
      return .done(silence)
    }
  }

  /// The contents of the readers; queries each card.
  private static func run() -> ReaderReport {
    do throws(CardFailure) {
      let service = try SmartCardService()
      return ReaderReport(service: .running, readers: look(at: try service.presences()))
    } catch {
      return ReaderReport(service: service(error), readers: [])
    }
  }

  /// Queries all cards at the same time.
  static func look(at presences: [SmartCardService.Presence]) -> [CardReader] {
    let states = Condition([CardReader.State?](repeating: nil, count: presences.count))
    for (index, presence) in presences.enumerated() {
      if let known = known(presence) {
        states.change { $0[index] = known }
        continue
      }
      do throws(PRFDeviceError) {
        try BackgroundThread.start {
          let state = ask(presence.reader)
          states.change { $0[index] = state }
        }
      } catch {
        states.change { $0[index] = .noAnswer }
      }
    }
    let limit = MonotonicTime.now().advanced(by: patience)
    let found = states.wait { states in
      if states.allSatisfy({ $0 != nil }) || MonotonicTime.now() >= limit { return .done(states) }
      return .waitUntil(limit)
    }
    return zip(presences, found).map {
      CardReader(name: $0.reader, state: $1 ?? .noAnswer, insertion: $0.insertion)
    }
  }

  /// The state that is known without a query.
  private static func known(_ presence: SmartCardService.Presence) -> CardReader.State? {
    if !presence.hasCard { return .empty }
    if presence.isMute { return .noAnswer }
    return presence.isExclusive ? .busy : nil
  }

  /// Selects the FIDO applet of the card on a reader.
  private static func ask(_ reader: String) -> CardReader.State {
    do throws(CardFailure) {
      let service = try SmartCardService()
      let connection = try CardConnection(reader, service)
      // The same key on USB needs no reader and need not be held in place.
      if let address = connection.usbAddress,
        HIDNode.all().contains(where: {
          $0.isAuthenticator && !$0.isForbidden && $0.usbAddress == address
        })
      {
        return .partOfKey
      }
      return try FIDOApplet(connection).select() == nil ? .otherCard : .authenticator
    } catch {
      switch error.opening(reader) {
      case .busy: return .busy
      case .authenticatorLost: return .empty
      case .notFIDO2: return .otherCard
      default: return .noAnswer
      }
    }
  }

  private static func service(_ failure: CardFailure) -> ReaderReport.Service {
    let refusals = [SCARD_W_SECURITY_VIOLATION, SCARD_E_NO_ACCESS, SCARD_F_COMM_ERROR]
    if case .service(let code) = failure, refusals.contains(code) { return .refused }
    // pcscd may hang up so soon that the client reports it as not running.
    return ServiceSocketWatch.isListening ? .refused : .notRunning
  }
}
