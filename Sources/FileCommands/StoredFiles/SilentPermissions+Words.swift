package import CSPP

extension SilentWriter.Permissions {
  /// The words of the format.
  package var names: [String] {
    [(Self.filePut, "file-put"), (Self.fileRemove, "file-remove"), (Self.put, "put")]
      .filter { contains($0.0) }.map(\.1)
  }

  /// The things that may be added, in words.
  var things: String {
    let known = [(Self.filePut, "files"), (Self.put, "wallets")].filter { contains($0.0) }.map(\.1)
    return known.isEmpty ? "nothing" : known.joined(separator: " and ")
  }
}
