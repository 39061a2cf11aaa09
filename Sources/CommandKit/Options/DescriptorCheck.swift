internal import ArgumentParser

/// Checks the descriptors that options name.
package enum DescriptorCheck {
  /// Refuses one that the caller did not open, or not for that.
  ///
  /// - Parameters:
  ///   - descriptor: the option's value, if it is given.
  ///   - option: its name: `--pin-fd`.
  ///   - use: what it is needed for.
  /// - Throws: a usage error.
  package static func check(
    _ descriptor: Int32?, _ option: String, for use: CallersDescriptors.Use = .reading
  ) throws {
    guard let descriptor,
      let obstacle = CallersDescriptors.obstacle(descriptor, for: use)
    else { return }
    throw ValidationError("\(option) cannot be used: \(obstacle)")
  }
}
