internal import CommandKit
internal import ForeignBackups

/// The version of a new SealVault backup: above all that are known of its device.
///
/// A name that does not open may still be of a real backup, with another password. So numbers up to
/// a distance are passed over, which costs nothing. A name that is farther away is not believed: no
/// number that somebody made up is remembered, and none brings the numbers to their end.
struct SealVaultNumber {
  let version: Int64
  /// The files whose versions were not believed.
  let notBelieved: [String]

  /// How far above what is known a name may be: a device makes far fewer backups.
  static let mostAhead: Int64 = 1 << 20
  /// Versions end here: JSON has no higher numbers that every program reads.
  private static let end: Int64 = 1 << 53

  /// - Parameters:
  ///   - claims: the files of the device; those that opened prove their versions.
  ///   - known: the highest version that this computer or the database knows; 0: none.
  /// - Throws: `data-invalid` where no higher version is left.
  init(after claims: ProvedSealVaults, known: Int64) throws(UserMessage) {
    let known = claims.proved.reduce(max(known, 0)) { max($0, $1.version) }
    let unproved = claims.others + claims.absent
    let named = unproved.filter { $0.version - known <= Self.mostAhead }
    let highest = named.reduce(known) { max($0, $1.version) }
    guard highest < Self.end - 1 else {
      throw UserMessage(
        .dataInvalid, "this device has made a backup of version \(known), after which none is left",
        hint: "give the device another ID with --device-id")
    }
    version = highest + 1
    notBelieved = unproved.filter { $0.version - known > Self.mostAhead }.map(\.file)
  }
}
