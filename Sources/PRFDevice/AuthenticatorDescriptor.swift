/// One connected authenticator as the system describes it, without opening it.
public struct AuthenticatorDescriptor: Hashable, Sendable {
  /// The connection of an authenticator.
  public enum Transport: String, Sendable {
    /// USB HID, through `/dev/hidraw*`.
    case usb
    /// A contactless card on a reader.
    case nfc
  }

  /// The prefix of the path of a card on a reader; the reader's name follows.
  public static let readerScheme = "reader:"

  /// The device file; for a card, ``readerScheme`` and the reader's name.
  public let path: String
  /// The product's name as the device states it; for a card, the reader's name.
  public let product: String
  /// The manufacturer's name as the device states it.
  public let manufacturer: String
  /// The USB vendor ID; 0 for a card.
  public let vendorID: UInt16
  /// The USB product ID; 0 for a card.
  public let productID: UInt16
  /// Its connection.
  public let transport: Transport

  /// The way to open it.
  enum Way: Sendable {
    /// libfido2's entry for it, so that opening need not search again.
    case libfido2(DeviceEntry)
    /// A card on the reader of this name.
    case reader(String)
  }

  let way: Way
  /// The number of cards inserted into and removed from the reader; 0 elsewhere.
  ///
  /// Another card, or the same one inserted again, is another authenticator.
  let insertion: UInt32

  /// Whether both describe the same device, even in different listings.
  public static func == (left: Self, right: Self) -> Bool {
    left.path == right.path && left.product == right.product
      && left.manufacturer == right.manufacturer && left.vendorID == right.vendorID
      && left.productID == right.productID && left.transport == right.transport
      && left.insertion == right.insertion
  }

  /// Hashes part of the fields that ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(path)
    hasher.combine(vendorID)
    hasher.combine(productID)
  }
}
