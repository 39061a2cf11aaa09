internal import CSPP
public import SecretMemory

/// A label file of another program: the lines that are taken, and how many are not.
///
/// As BIP-329 says, records of other types are ignored, and a broken line does not invalidate the
/// others.
public struct LabelFile: ~Copyable {
  /// The lines that are BIP-329 records, in UTF-8.
  public let records: SecretBytes
  /// The lines of a type that BIP-329 does not define.
  public let unknownTypes: Omission
  /// The other lines that are not records.
  public let damaged: Omission

  /// Lines that are not taken.
  public struct Omission: Equatable, Sendable {
    /// The number of lines.
    public var count = 0
    /// The number of the first line, counted from 1.
    public var firstLine = 0

    mutating func add(_ line: Int) {
      if count == 0 { firstLine = line }
      count += 1
    }
  }

  /// Reads a file in UTF-8 or UTF-16.
  ///
  /// - Throws: ``WalletFormatError``: `labelsTooLarge`, `empty`; for a file without any record
  ///   `labelsUnknownTypes`, or `labelsLine` if a line is damaged.
  public init(reading file: borrowing SecretBytes) throws(WalletFormatError) {
    guard file.count <= WalletLabels.sizeLimit else {
      throw .labelsTooLarge(limit: WalletLabels.sizeLimit)
    }
    let file = UTF8Text.decoded(file)
    var records = SecretWriter(capacity: file.count + 1)
    var (unknownTypes, damaged) = (Omission(), Omission())
    var first: WalletFormatError?
    file.withBytes { text in
      ASCII.forEachLine(in: text) { range, number in
        let line = text.extracting(range)
        do throws(LabelProblem) {
          try LabelLine.check(line)
          records.raw(line)
          records.raw("\n")
        } catch {
          if LabelLine.isOfUnknownType(line) {
            unknownTypes.add(number)
          } else {
            first = first ?? .labelsLine(number, error)
            damaged.add(number)
          }
        }
      }
    }
    if records.count == 0 {
      throw first ?? (unknownTypes.count > 0 ? .labelsUnknownTypes(unknownTypes.count) : .empty)
    }
    self.records = records.finish()
    self.unknownTypes = unknownTypes
    self.damaged = damaged
  }
}
