// This folder is for what a guard keeps: the database, its schema, the rows. It knows no request,
// no key and no clock.

/// The errors of a guard's database.
///
/// No case carries a value of a row.
public enum GuardStoreError: Error, Equatable, Sendable {
  /// The database cannot be reached or refuses to work, for this reason.
  case unavailable(String)
  /// The address of the server cannot be read; it is not repeated, because it may have a password.
  case invalidURL
  /// The connection broke while a change was being committed: it is not known whether it holds.
  case unknownOutcome
  /// The database does not promise that a committed change survives a crash; the text names the
  /// setting.
  case notDurable(String)
  /// The database was made by another version of the program.
  case otherVersion
  /// The database belongs to another server key, or it has no key yet.
  case otherKey
  /// The row, or the exported file, is not as this program writes it; the text is its part.
  case damaged(String)
  /// The guard was exported: it answers no more.
  case stopped
  /// The guard was stopped for its export, and then the export failed for this reason.
  indirect case exportFailed(GuardStoreError)
  /// The database has accounts already, so nothing can be imported.
  case notEmpty
  /// A file cannot be read or written: the code of `errno`, and the path.
  case file(Int32, String)
}
