/// A smart-card or NFC reader and its card.
public struct CardReader: Hashable, Sendable {
  /// The contents of a reader.
  public enum State: String, Sendable, CaseIterable {
    /// No card.
    case empty = "no-card"
    /// A security key.
    case authenticator
    /// A card that is not a FIDO card.
    case otherCard = "no-fido"
    /// A card that another program uses exclusively.
    case busy
    /// A card that does not answer; often it is not placed well.
    case noAnswer = "no-answer"
    /// Not a separate reader: the smart-card side of a security key that is plugged in and used
    /// through USB.
    case partOfKey = "usb-key"
  }

  /// The name that pcscd gives the reader.
  public let name: String
  /// Its contents.
  public let state: State
  /// The number of cards inserted and removed.
  let insertion: UInt32
}

/// The readers that pcscd knows, or the reason why there are none.
public struct ReaderReport: Hashable, Sendable {
  /// The service that owns the readers.
  public enum Service: String, Sendable {
    /// pcscd answers.
    case running
    /// pcscd does not run, or is not installed.
    case notRunning = "not-running"
    /// pcscd refuses this user (polkit).
    case refused
    /// pcscd runs and does not answer.
    case noAnswer = "no-answer"
  }

  /// The state of the service.
  public let service: Service
  /// The readers in pcscd's order.
  public let readers: [CardReader]

  /// The security keys on the readers.
  public var authenticators: [AuthenticatorDescriptor] {
    readers.filter { $0.state == .authenticator }.map { AuthenticatorDescriptor($0) }
  }
}

extension AuthenticatorDescriptor {
  /// Creates a descriptor for the card on a reader.
  init(_ reader: CardReader) {
    // pcscd appends the numbers of the reader and of its slot.
    let words = reader.name.split(separator: " ")
    let isNumbered = words.count > 2 && words.suffix(2).allSatisfy { $0.count == 2 }
    self.init(
      path: AuthenticatorDescriptor.readerScheme + reader.name,
      product: isNumbered ? words.dropLast(2).joined(separator: " ") : reader.name,
      manufacturer: "",
      vendorID: 0, productID: 0, transport: .nfc, way: .reader(reader.name),
      insertion: reader.insertion)
  }
}
