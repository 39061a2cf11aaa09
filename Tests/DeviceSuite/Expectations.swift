import PRFDevice

/// An unmet expectation.
struct Unmet: Error, CustomStringConvertible {
  /// The expectation, without values from a real key.
  let what: String
  let description: String

  init(_ what: String, _ values: String = "") {
    self.what = what
    description = what + values
  }
}

func expect(_ isMet: Bool, _ what: @autoclosure () -> String) throws {
  guard isMet else { throw Unmet(what()) }
}

func expect<Value: Equatable>(_ value: Value, is expected: Value, _ what: String) throws {
  guard value == expected else {
    throw Unmet(what, ": \(value), not \(expected)")
  }
}

/// Checks that `body` throws this error.
func expectError(
  _ expected: PRFDeviceError, _ what: String, _ body: () async throws -> Void
) async throws {
  do {
    try await body()
  } catch let error as PRFDeviceError {
    guard error == expected else { throw Unmet("\(what): \(error), not \(expected)") }
    return
  }
  throw Unmet("\(what): no error, not \(expected)")
}

/// The only element.
func only<Element>(_ elements: [Element], _ what: String) throws -> Element {
  guard elements.count == 1, let element = elements.first else {
    throw Unmet("\(what): \(elements.count), not 1")
  }
  return element
}
