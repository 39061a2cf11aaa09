/// One connected authenticator, as the system describes it without opening it.
public struct AuthenticatorDescriptor: Hashable, Sendable {
  /// How an authenticator is connected.
  public enum Transport: String, Sendable {
    /// USB HID, through `/dev/hidraw*`.
    case usb
    /// A contactless card on a reader.
    case nfc
  }

  /// What the path of a card on a reader begins with; the reader's name follows.
  public static let readerScheme = "reader:"

  /// The device file; for a card, ``readerScheme`` and the
  /// reader's name.
  public let path: String
  /// The product's name, as the device gives it; a card has none, its reader
  /// does.
  public let product: String
  /// The manufacturer's name, as the device gives it.
  public let manufacturer: String
  /// USB vendor ID; 0 for a card.
  public let vendorID: UInt16
  /// USB product ID; 0 for a card.
  public let productID: UInt16
  /// How it is connected.
  public let transport: Transport

  /// What leads to it.
  enum Way: Sendable {
    /// libfido2's entry for it, so that opening need not look for it again.
    case libfido2(DeviceEntry)
    /// A card on the reader of this name.
    case reader(String)
  }

  let way: Way
  /// Counts the cards that came to the reader and went; 0 elsewhere.
  ///
  /// Another card, or the same one once more, is another authenticator.
  let insertion: UInt32

  /// Whether both describe the same device, in however many listings.
  public static func == (left: Self, right: Self) -> Bool {
    left.path == right.path && left.product == right.product
      && left.manufacturer == right.manufacturer && left.vendorID == right.vendorID
      && left.productID == right.productID && left.transport == right.transport
      && left.insertion == right.insertion
  }

  /// Feeds what ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(path)
    hasher.combine(vendorID)
    hasher.combine(productID)
  }
}
