import ArgumentParser
import VirtualKey

/// What the simulated keys are plugged into, and how a program comes to see them.
protocol Bus: Sendable {
  /// Adds key number `index`, serves it on a thread of its own and returns once a
  /// program can see it.
  ///
  /// With `announced`, who waits for keys hears of it, also on a bus that does not
  /// announce by itself what is there from the start.
  func plug(_ index: Int, _ key: KeySettings, trace: Trace, announced: Bool) throws

  /// Takes the bus away with everything on it.
  ///
  /// Safe to call twice.
  func remove()
}

/// The buses to choose from.
enum BusKind: String, CaseIterable, ExpressibleByArgument {
  /// A /dev and /sys of the program's own.
  case umockdev
  /// The same, and a smart-card service of the program's own with the keys on its readers.
  case pcsc
  /// The running kernel's HID layer.
  case uhid
  /// Real USB devices in the running kernel.
  case gadget

  /// What has to happen before anything else: it may start this program anew.
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

/// Why there is no simulated bus.
struct BusError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// A bus and readers beside it: each key goes where its settings say.
struct BusWithReaders: Bus {
  let bus: any Bus
  let readers: ReaderBus
  /// Which place on the readers each key has; nil: it is on the bus.
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
