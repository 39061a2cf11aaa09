/// The NFC side of a simulated key: the behaviour of its card below CTAP.
public struct CardConfiguration: Sendable {
  /// The answer to SELECT: `U2F_V2` or `FIDO_2_0`.
  public var selectAnswer = "U2F_V2"
  /// Whether the card has the FIDO applet.
  public var hasApplet = true
  /// The most bytes of an answer in one piece; GET RESPONSE fetches the rest.
  public var pieceSize = 256
  /// Whether the card reports that it waits for a touch (CTAP 2.1, 11.3.7.2) instead of just taking
  /// its time.
  public var reportsWaiting = true
  /// The number of commands after which the card is removed; nil for never.
  public var pullAfterCommands: Int?
  /// The moment when a removed card returns; nil for never.
  public var returns: Moment?

  /// Creates an ordinary card.
  public init() {}
}
