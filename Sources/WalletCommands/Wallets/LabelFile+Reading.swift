package import CommandKit
package import WalletFormats

extension LabelFile {
  /// Reads a file that the person named.
  ///
  /// - Parameters:
  ///   - path: a path or `-`.
  ///   - streams: where `-` is read from.
  /// - Returns: its records.
  /// - Throws: the errors of reading; `data-invalid` where none of its lines is a record.
  package static func read(_ path: String, _ streams: Streams) throws(UserMessage) -> LabelFile {
    let text = try InputFile.readSecret(path, limit: WalletLabels.sizeLimit, streams)
    do throws(WalletFormatError) {
      return try LabelFile(reading: text)
    } catch {
      throw UserMessage(error)
    }
  }
}

/// The lines of a label file that were not taken.
package struct LabelsLeftOut {
  let unknownTypes: LabelFile.Omission
  package let damaged: LabelFile.Omission

  package init(of file: borrowing LabelFile) {
    unknownTypes = file.unknownTypes
    damaged = file.damaged
  }
}

extension JSONOutput {
  /// Adds how many lines of a label file were left out.
  mutating func add(_ leftOut: LabelsLeftOut) {
    self["unknown_types"] = .number(leftOut.unknownTypes.count)
    self["damaged_lines"] = .number(leftOut.damaged.count)
  }
}

extension Output {
  /// Tells which lines of a label file were left out.
  ///
  /// - Returns: `partial` for damaged lines. A type that BIP-329 does not define is no failure.
  package func warn(_ leftOut: LabelsLeftOut) -> ExitReason {
    let (unknown, damaged) = (leftOut.unknownTypes, leftOut.damaged)
    if unknown.count > 0 {
      warn(
        "keybackup: the labels have \(Self.lines(unknown)) of a type that BIP-329 does not define; "
          + (unknown.count == 1 ? "it was left out" : "they were left out"))
    }
    guard damaged.count > 0 else { return .success }
    warn(
      "keybackup: the labels have \(Self.lines(damaged)) that "
        + (damaged.count == 1
          ? "is no BIP-329 record; it was" : "are no BIP-329 records; they were")
        + " left out")
    warn("hint: export the labels again, then import them again")
    return .partial
  }

  private static func lines(_ omission: LabelFile.Omission) -> String {
    omission.count == 1
      ? "one line (line \(omission.firstLine))"
      : "\(omission.count) lines (the first is line \(omission.firstLine))"
  }
}
