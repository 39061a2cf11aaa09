package import CSPP
package import CommandKit
package import GuardProtocol
internal import SecurityKeys

extension UserMessage {
  /// The program that asks guards is not there.
  static let noGuardProgram = UserMessage(
    .noAuthenticator, word: "guard-program-missing",
    "the program keybackup-guard is not installed, and only it asks guards",
    hint: "install the Debian package keybackup-guard\n"
      + "or put it into the folder where keybackup is")

  /// The program that asks guards ended, or does not do what it should.
  static let guardProgramGone = UserMessage(
    .io, "the program keybackup-guard ended, or is of another version",
    hint: "install keybackup and keybackup-guard of one version, then try again")

  /// A value that was checked before, or no memory.
  package init(_ error: GuardProtocolError) {
    self =
      switch error {
      case .outOfMemory:
        UserMessage(
          .io, "there is not enough memory for the PIN",
          hint: "close other programs, or use another computer")
      case .invalidParameter("pin"):
        UserMessage(
          .dataInvalid, "a PIN or password for guards is text of 1 to 1024 bytes in UTF-8",
          hint: "no try was spent")
      case .malformed, .tooLarge, .invalidThreshold, .invalidShare, .invalidParameter,
        .invalidSignature:
        UserMessage(.internalError, "a value for the guards is out of bounds")
      }
  }

  /// Fewer guards help than are needed.
  ///
  /// - Parameters:
  ///   - faults: the guards that do not help, and why.
  ///   - way: the way in.
  ///   - time: when enough of them will.
  ///   - now: this computer's time.
  /// - Returns: the error that says what to do.
  static func tooFewGuards(
    _ faults: [(server: AskedGuard, fault: GuardFault)], _ way: GuardWay, next time: UInt64?,
    at now: Int64 = 0
  ) -> UserMessage {
    let needed = way.threshold.needed
    let list = faults.map { "\($0.server.name): \($0.fault.text)" }.joined(separator: "\n")
    func without(_ isOut: (GuardFault) -> Bool) -> Int {
      way.seats.count - faults.count { isOut($0.fault) }
    }
    let present = without { fault in
      switch fault {
      case .missing, .wrong: true
      case .refused(.tooEarly), .refused(.usedUp): false
      case .refused: true
      }
    }
    if present < needed {
      guard let wrong = faults.first(where: { $0.fault.isWrong }) else {
        // Where too many are gone for good, no later time helps.
        let isOver = without { $0.remedy == .renewal } < needed
        return UserMessage(
          .noAuthenticator, word: "guards-unreachable",
          "\(needed) of \(counted(way.seats.count, "guard")) \(needed == 1 ? "is" : "are") needed, "
            + "and only \(present) \(present == 1 ? "helps" : "help")",
          hint: list
            + (isOver
              ? "\nuse another way in, then make a new one with other guards: keybackup guard renew\n"
              : "\ntry again later, or use another way in\n")
            + (faults.contains { $0.fault.isUntrusted }
              ? "for a guard with a certificate of its own: --guard-ca FILE\n" : "")
            + "for a guard that moved, give its new address: --guard-server ID=URL")
      }
      return UserMessage(
        .dataInvalid, word: "guard-wrong",
        "the guard \(wrong.server.name) gave a wrong answer, and too few others help",
        hint: list + "\ndo not trust this guard: use another way in, then: keybackup guard renew")
    }
    let lasting = without { fault in
      if case .refused(.tooEarly) = fault { false } else { true }
    }
    guard lasting < needed else {
      return UserMessage(
        .incomplete, word: "too-early",
        "the next try is \(PrintableTime.wait(time, at: now)), because tries were spent",
        hint: list + "\nno try was spent; to see the tries that are left: keybackup guard status")
    }
    return UserMessage(
      .pinBlocked, word: "guard-tries-used",
      "no try is left: the guards accept no PIN any more",
      hint: list + "\nuse another way in, then make a new PIN: keybackup guard renew")
  }

  /// The PIN is not the one that was enrolled.
  ///
  /// - Parameters:
  ///   - survey: the guards after the try.
  ///   - what: "PIN" or "password".
  ///   - now: this computer's time, which may be another than the guards'.
  /// - Returns: the error that says what to do.
  static func wrongGuardPIN(
    _ survey: GuardSurvey, what: String, at now: Int64
  ) -> UserMessage {
    let left = survey.triesLeft
    guard left > 0 else {
      return UserMessage(
        .pinInvalid, "the \(what) is wrong; it was the last try",
        hint: "use another way in, then make a new \(what): keybackup guard renew")
    }
    let next = survey.nextTime.map { $0 <= UInt64(max(0, now)) } ?? false
    return UserMessage(
      .pinInvalid,
      "the \(what) is wrong; \(tries(left)) left, the next "
        + (next ? "now" : PrintableTime.wait(survey.nextTime, at: now)),
      hint: "after a right \(what) you have all tries again")
  }

  /// The PIN is the one that was enrolled, and the file does not open with it.
  ///
  /// - Parameters:
  ///   - what: "PIN" or "password".
  ///   - isReset: whether all guards gave the tries back.
  /// - Returns: the error that says what to do.
  static func changedGuardFile(_ what: String, isReset: Bool) -> UserMessage {
    UserMessage(
      .dataInvalid, "the \(what) is right, but the file of the way in was changed or damaged",
      hint: (isReset ? "you have all tries again\n" : "")
        + "use another way in, then: keybackup key repair")
  }
}

extension GuardThreshold {
  /// Checks how many guards are to be needed.
  ///
  /// - Parameters:
  ///   - needed: how many are needed.
  ///   - guards: how many are named.
  /// - Returns: why so many cannot be needed; nil: they can.
  package static func problem(needing needed: Int, of guards: Int) -> String? {
    if GuardThreshold(of: guards, needing: needed) != nil { return nil }
    guard guards <= maximumGuards else {
      return "at most \(maximumGuards) guards can be named, and these are \(guards)"
    }
    let least = guards / 2 + 1
    let range = least == guards ? "\(guards)" : "\(least) to \(guards)"
    return "--threshold must be more than half of the guards: with "
      + "\(counted(guards, "guard")) it takes \(range)"
  }
}
