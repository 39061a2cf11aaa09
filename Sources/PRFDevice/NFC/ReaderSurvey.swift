internal import CPCSC
internal import Synchronization

/// Looks at every reader, and at the card on each, within a few seconds
/// whatever the cards do.
struct ReaderSurvey {
  /// How long a card may take to say whether it is a security key.
  static let patience: Duration = .seconds(3)

  /// Whether pcscd did not answer before: it is not waited for twice.
  private static let isSilent = Atomic(false)

  /// What the readers hold, also when pcscd does not answer: whoever asks it
  /// waits without end, in a thread that is left behind.
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
    // The cards' time, and a little for pcscd.
    let limit = MonotonicTime.now().advanced(by: patience + .seconds(1))
    return report.wait { report in
      if let report { return .done(report) }
      guard MonotonicTime.now() >= limit else { return .waitUntil(limit) }
      isSilent.store(true, ordering: .relaxed)
      return .done(silence)
    }
  }

  /// What the readers hold; asks each card.
  private static func run() -> ReaderReport {
    do throws(CardFailure) {
      let service = try SmartCardService()
      return ReaderReport(service: .running, readers: look(at: try service.presences()))
    } catch {
      return ReaderReport(service: service(error), readers: [])
    }
  }

  /// Asks the cards, all at once.
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

  /// What is known without a word to the card.
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
      // The same key through USB needs no reader, and no holding still.
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
    // It may hang up so soon that the client takes it for gone.
    return ServiceSocketWatch.isListening ? .refused : .notRunning
  }
}
