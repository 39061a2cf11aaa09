/// The route to a key.
public enum Route: String, CaseIterable, Codable, Sendable {
  /// The simulated key in this process, over its own transport.
  case inProcess = "in-process"
  /// The simulated key as `/dev/hidraw*`, shown by umockdev.
  case umockdev
  /// The simulated key as a card on pcscd's virtual reader.
  case pcsc
  /// The simulated key behind a real kernel's uhid.
  case uhid
  /// The simulated key as a real kernel's USB gadget.
  case gadget
  /// A real key that the user plugged in.
  case hardware

  /// The columns of the table.
  public static let simulated: [Route] = [.inProcess, .umockdev, .pcsc, .uhid, .gadget]

  /// The title of the table's column.
  public var title: String {
    switch self {
    case .inProcess: "in process"
    case .umockdev: "umockdev"
    case .pcsc: "PC/SC"
    case .uhid: "kernel uhid"
    case .gadget: "kernel USB gadget"
    case .hardware: "real key"
    }
  }

  /// The reason why a behaviour with this need does not apply here; nil where it applies.
  public func lacks(_ need: Need) -> String? {
    switch (self, need) {
    case (.inProcess, .list): "in process there is one key, and no list of keys to find it in"
    case (.inProcess, .otherProcesses): "in process, no other process can reach the key"
    case (.pcsc, .channels): "a card has no channels to give out"
    case (.pcsc, .touch): "a card is touched by lying on the reader: it waits for nothing"
    default: nil
    }
  }
}

/// A requirement of a behaviour for the route to the key.
public enum Need: Sendable {
  /// `AuthenticatorList` finds the keys.
  case list
  /// The key waits for the user.
  case touch
  /// The key assigns channels.
  case channels
  /// Other processes see the same key.
  case otherProcesses
}
