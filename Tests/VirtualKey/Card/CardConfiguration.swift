/// The NFC side of a simulated key: how the card with it behaves below CTAP.
public struct CardConfiguration: Sendable {
  /// What SELECT is answered with: `U2F_V2` or `FIDO_2_0`.
  public var selectAnswer = "U2F_V2"
  /// Whether the card has the FIDO applet.
  public var hasApplet = true
  /// The most bytes of an answer given at once; the rest is for GET RESPONSE.
  public var pieceSize = 256
  /// Whether the card says that it waits for a touch (CTAP 2.1, 11.3.7.2), and
  /// does not just take its time.
  public var reportsWaiting = true
  /// After how many commands the card is pulled away; nil: never.
  public var pullAfterCommands: Int?
  /// After how long without a command a card that was used is pulled away; nil: never.
  public var pullWhenIdleMilliseconds: Int?
  /// How long a card that was pulled away stays away; nil: for good.
  public var returnAfterMilliseconds: Int?

  /// An ordinary card.
  public init() {}
}
