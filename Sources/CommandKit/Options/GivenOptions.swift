internal import ArgumentParser

/// The names of options that were given, so that a mode which would not use them refuses them.
///
/// Somebody who gives an option relies on it: `verify --guard-pin-file FILE` without `--deep` would
/// look as if the PIN were right.
package struct GivenOptions: Equatable, Sendable {
  /// As they are typed, such as `--wait`.
  package private(set) var names: [String]

  /// Takes those that were given.
  ///
  /// - Parameter options: names, each with whether it was given.
  package init(_ options: KeyValuePairs<String, Bool>) {
    names = options.filter(\.value).map(\.key)
  }

  /// The options of both.
  package static func + (one: GivenOptions, other: GivenOptions) -> GivenOptions {
    var both = one
    both.names += other.names
    return both
  }

  /// These without some others.
  package func besides(_ others: Set<String>) -> GivenOptions {
    var rest = self
    rest.names.removeAll(where: others.contains)
    return rest
  }

  /// Says of the first that it would have no effect.
  ///
  /// - Parameter needed: the option or command that they go with.
  /// - Returns: a sentence; nil: none is given.
  package func mistake(without needed: String) -> String? {
    names.first.map { "\($0) goes with \(needed)" }
  }

  /// Refuses them.
  ///
  /// - Parameter needed: the option or command that they go with.
  /// - Throws: a usage error, where one was given.
  package func refuse(without needed: String) throws {
    if let mistake = mistake(without: needed) { throw ValidationError(mistake) }
  }

  /// Refuses them beside an option with which they have no effect.
  ///
  /// - Throws: a usage error, where one was given.
  package func refuse(besides other: String) throws {
    if let name = names.first { throw ValidationError("\(name) does not go with \(other)") }
  }
}
