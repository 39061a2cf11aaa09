/// A path or a name by its bytes, to compare and to look up.
///
/// Swift takes two strings for equal where Unicode takes their letters for the same. To a file system
/// one letter in two compositions gives two names.
package struct NameBytes: Hashable, Sendable {
  private let bytes: [UInt8]

  package init(_ text: String) { bytes = Array(text.utf8) }

  /// Takes a name from the kernel, which need not be UTF-8.
  package init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  package var isEmpty: Bool { bytes.isEmpty }
}
