public import CSPP
internal import RistrettoVOPRF

/// The answer to ``GuardCall/info``, signed with the guard's key.
public struct GuardInfo: GuardMessage {
  /// The most characters of a URL.
  public static let maximumURL = 512

  /// The guard's Ed25519 key.
  public let guardKey: SigningKey
  /// The URLs at which it can be reached, at most 16.
  public let urls: [String]
  /// The schedules that it offers.
  public let schedules: [DelaySchedule]
  /// The issuers whose ID tokens it accepts, at most 16.
  public let issuers: [String]

  /// Creates an answer.
  public init(
    guardKey: SigningKey, urls: [String], schedules: [DelaySchedule], issuers: [String]
  ) {
    self.guardKey = guardKey
    self.urls = urls
    self.schedules = schedules
    self.issuers = issuers
  }

  /// The guard's ID.
  public var guardID: GuardID { GuardID(of: guardKey) }

  /// Reads a body; see ``GuardMessage/init(parsing:)``.
  ///
  /// The suite must be ``OPRFMode/suite``.
  public init(parsing body: RawSpan) throws(GuardProtocolError) {
    let fields = try MessageFields(body, ["guard_key", "urls", "suite", "schedules", "issuers"])
    guardKey = try fields.identifier("guard_key", in: body)
    guard guardKey.isValid else { throw MessageFields.invalid("guard_key") }
    guard try fields.text("suite", upTo: 64, in: body) == OPRFMode.suite else {
      throw MessageFields.invalid("suite")
    }
    urls = try fields.texts("urls", upTo: Self.maximumURL, in: body)
    issuers = try fields.texts("issuers", upTo: Self.maximumURL, in: body)
    var schedules: [DelaySchedule] = []
    for name in try fields.texts("schedules", upTo: 16, in: body) {
      guard let schedule = DelaySchedule(rawValue: name), !schedules.contains(schedule) else {
        throw MessageFields.invalid("schedules")
      }
      schedules.append(schedule)
    }
    self.schedules = schedules
  }

  /// The body: JSON in UTF-8.
  public var body: [UInt8] {
    func texts(_ texts: [String]) -> String { MessageText.list(texts.map { JSONText.quoted($0) }) }
    return MessageText.body([
      ("guard_key", MessageText.quoted(guardKey)), ("urls", texts(urls)),
      ("suite", JSONText.quoted(OPRFMode.suite)),
      ("schedules", texts(schedules.map(\.rawValue))), ("issuers", texts(issuers)),
    ])
  }
}
