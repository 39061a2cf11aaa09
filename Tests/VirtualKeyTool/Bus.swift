import ArgumentParser
import VirtualKey

/// The bus that simulated keys are plugged into, where a program comes to see them.
protocol Bus: Sendable {
  /// Adds key number `index`, serves it on its own thread and returns once a program can see it.
  ///
  /// With `announced`, programs that wait for keys are told, even if the bus does not announce the
  /// keys that are there from the start.
  func plug(_ index: Int, _ key: KeySettings, trace: Trace, announced: Bool) throws

  /// Takes the bus away with everything on it.
  ///
  /// Safe to call twice.
  func remove()
}

/// The kinds of bus to choose from.
enum BusKind: String, CaseIterable, ExpressibleByArgument {
  /// Its own /dev and /sys for the program.
  case umockdev
  /// The same, and a private smart-card service with the keys on its readers.
  case pcsc
  /// The running kernel's HID layer.
  case uhid
  /// Real USB devices in the running kernel.
  case gadget

  /// Prepares the process before anything else happens; may start this program again.
  func prepare(for keys: [KeySettings]) {
    switch self {
    case .umockdev, .pcsc:
      if keys.contains(where: \.movesAbout) { UmockdevBus.preloadIntoThisProcess() }
    case .uhid, .gadget: break
    }
  }

  /// Makes an empty bus.
  ///
  /// - Parameter unreadable: programs may not open the keys.
  /// - Returns: the bus.
  /// - Throws: `BusError` if this computer cannot have it.
  func makeBus(unreadable: Bool) throws -> any Bus {
    switch self {
    case .umockdev, .pcsc: try UmockdevBus(unreadable: unreadable)
    case .uhid: try UHIDBus(unreadable: unreadable)
    case .gadget: try GadgetBus(unreadable: unreadable)
    }
  }
}

/// The reason why there is no simulated bus.
struct BusError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// A bus with readers beside it: each key goes where its settings say.
struct BusWithReaders: Bus {
  let bus: any Bus
  let readers: ReaderBus
  /// The place of each key on the readers; nil for a key on the bus.
  let places: [Int?]

  func plug(_ index: Int, _ key: KeySettings, trace: Trace, announced: Bool) throws {
    if let place = places[index] {
      try readers.plug(place, key, trace: trace, announced: announced)
    } else {
      try bus.plug(index, key, trace: trace, announced: announced)
    }
  }

  func remove() {
    readers.remove()
    bus.remove()
  }
}
