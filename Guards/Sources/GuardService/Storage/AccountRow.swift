internal import CSPP
internal import GuardProtocol
internal import RistrettoVOPRF

/// An account's columns, in the order of ``GuardSchema/columns``.
extension StoredAccount {
  private static let schedules: [DelaySchedule] = [.pin, .password]

  /// The columns.
  var values: [SQLValue] {
    var values: [SQLValue] = [id.bytes, askKey.bytes, resetKey.bytes, ownerKey.bytes].map {
      .bytes($0)
    }
    values.append(SQLValue(share))
    values.append(SQLValue(login?.subject))
    values.append(SQLValue(login?.keyID.bytes))
    values.append(login.map { .text($0.clientID) } ?? .null)
    let numbers: [UInt64] = [kindNumber, state.terms, version, isImported ? 1 : 0]
    values += numbers.map { SQLValue($0) }
    return values + stateValues
  }

  private var kindNumber: UInt64 { if case .pin = state { 0 } else { 1 } }

  private var stateValues: [SQLValue] {
    var phase: UInt64 = 1
    var since: UInt64 = 0
    switch life.phase {
    case .unconfirmed(let start): (phase, since) = (0, start)
    case .confirmed: break
    case .retired: phase = 2
    }
    var values: [SQLValue] = [SQLValue(phase), SQLValue(since), SQLValue(life.counter)]
    switch state {
    case .pin(let account):
      let last = account.last
      values.append(SQLValue(UInt64(account.limiter.tries)))
      values.append(SQLValue(account.limiter.timer))
      values.append(last.map { SQLValue($0.counter) } ?? .null)
      values += [last?.element.bytes, last?.evaluated.bytes, last?.proof.bytes].map {
        SQLValue($0)
      }
      values += [.bytes([]), .bytes([])]
    case .login(let account):
      values += [.number(0), .number(0), .null, .null, .null, .null]
      values.append(.bytes(ReleaseRows.bytes(account.pending)))
      values.append(.bytes(account.vetoed.sorted().flatMap(\.bytes)))
    }
    return values
  }

  /// Reads the columns.
  init(_ row: inout SQLRow) throws(GuardStoreError) {
    let id: GuardAccountID = try Self.identifier(row.bytes())
    askKey = try Self.identifier(row.bytes())
    resetKey = try Self.identifier(row.bytes())
    ownerKey = try Self.identifier(row.bytes())
    guard GuardAccountID(of: askKey) == id else { throw .damaged("id") }
    share = try row.optionalBytes()
    let subject = try row.optionalBytes()
    let keyID = try row.optionalBytes()
    let clientID = try row.optionalText()
    let kind = try row.number()
    let terms = try row.number()
    version = try row.number()
    isImported = try row.number() == 1
    switch kind {
    case 0:
      login = nil
      state = .pin(try Self.pin(&row, terms: terms))
    case 1:
      if let subject, let keyID, let clientID {
        login = Login(subject: subject, keyID: try Self.identifier(keyID), clientID: clientID)
      } else {
        login = nil
      }
      state = .login(try Self.login(&row, terms: terms))
      guard login != nil || life.phase == .retired else { throw .damaged("login") }
    default: throw .damaged("kind")
    }
  }

  private static func identifier<ID: HexIdentifier>(
    _ bytes: [UInt8]
  ) throws(GuardStoreError) -> ID {
    guard let id = ID(bytes: bytes) else { throw .damaged("identifier") }
    return id
  }

  private static func life(_ row: inout SQLRow) throws(GuardStoreError) -> AccountLife {
    let phase = try row.number()
    let since = try row.number()
    let counter = try row.number()
    switch phase {
    case 0: return AccountLife(.unconfirmed(since: since), counter: counter)
    case 1: return AccountLife(.confirmed, counter: counter)
    case 2: return AccountLife(.retired, counter: counter)
    default: throw .damaged("phase")
    }
  }

  private static func pin(
    _ row: inout SQLRow, terms: UInt64
  ) throws(GuardStoreError) -> PINAccount {
    guard let place = Int(exactly: terms), schedules.indices.contains(place) else {
      throw .damaged("schedule")
    }
    let life = try life(&row)
    let limiter = DelayLimiter(
      schedules[place], tries: Int(clamping: try row.number()), timer: try row.number())
    let counter = try row.optionalNumber()
    let parts = (try row.optionalBytes(), try row.optionalBytes(), try row.optionalBytes())
    _ = (try row.bytes(), try row.bytes())
    guard let counter else { return PINAccount(life: life, limiter: limiter) }
    guard let element = parts.0, let evaluated = parts.1, let proof = parts.2 else {
      throw .damaged("last answer")
    }
    do throws(VOPRFError) {
      let last = PINAccount.Evaluation(
        counter: counter, element: try RistrettoElement(element),
        evaluated: try RistrettoElement(evaluated), proof: try DLEQProof(proof))
      return PINAccount(life: life, limiter: limiter, last: last)
    } catch {
      throw .damaged("last answer")
    }
  }

  private static func login(
    _ row: inout SQLRow, terms: UInt64
  ) throws(GuardStoreError) -> LoginAccount {
    guard let delay = try? ReleaseDelay(terms) else { throw .damaged("delay") }
    let life = try life(&row)
    for _ in 0..<6 { _ = try row.next() }
    let pending = try ReleaseRows.releases(row.bytes(), delay: delay)
    let vetoed = try row.bytes()
    guard vetoed.count.isMultiple(of: ReleaseID.byteCount) else { throw .damaged("vetoed") }
    var ids: Set<ReleaseID> = []
    for place in stride(from: 0, to: vetoed.count, by: ReleaseID.byteCount) {
      ids.insert(try identifier(Array(vetoed[place..<place + ReleaseID.byteCount])))
    }
    return LoginAccount(life: life, delay: delay, pending: pending, vetoed: ids)
  }
}

/// The pending releases of an account in one column: for each its session key, its start as eight
/// bytes, the most significant first, and the sealed share or zeroes.
enum ReleaseRows {
  private static let sealedSize = CollectAnswer.size
  private static let size = X25519Key.byteCount + 8 + sealedSize

  static func bytes(_ releases: [ShareRelease]) -> [UInt8] {
    var bytes: [UInt8] = []
    for release in releases {
      bytes += release.sessionKey.bytes
      bytes += BigEndian.bytes(release.start)
      bytes += release.sealed ?? [UInt8](repeating: 0, count: sealedSize)
    }
    return bytes
  }

  static func releases(
    _ bytes: [UInt8], delay: ReleaseDelay
  ) throws(GuardStoreError) -> [ShareRelease] {
    guard bytes.count.isMultiple(of: size) else { throw .damaged("pending") }
    var releases: [ShareRelease] = []
    for place in stride(from: 0, to: bytes.count, by: size) {
      let row = Array(bytes[place..<place + size])
      let keySize = X25519Key.byteCount
      guard let key = X25519Key(bytes: Array(row[..<keySize])) else { throw .damaged("pending") }
      let start = BigEndian.number(row[keySize..<keySize + 8])
      let sealed = Array(row[(keySize + 8)...])
      let isSealed = sealed.contains { $0 != 0 }
      releases.append(
        ShareRelease(
          sessionKey: key, start: start, delay: delay, sealed: isSealed ? sealed : nil))
    }
    return releases
  }
}

/// Numbers as eight bytes, the most significant first.
enum BigEndian {
  static func bytes(_ number: UInt64) -> [UInt8] {
    (0..<8).map { place in UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * place)) }
  }

  static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { number, byte in number << 8 | UInt64(byte) }
  }
}
