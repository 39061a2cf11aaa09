/// Why a backup of another program could not be opened or written.
///
/// No case holds a secret. A part is a noun phrase in plain words: "the metadata".
package enum ForeignBackupError: Error, Equatable, CustomStringConvertible {
  /// This part is not as the format wants it, or does not fit what authenticates it.
  case damaged(part: String)
  /// The whole file is something else than this: "zip file".
  case otherKind(String)
  /// This part has nothing in it.
  case empty(part: String)
  /// This part, with which the file ends, is not there, or was changed.
  case cutOff(part: String)
  /// The file's name is not this one, which it says itself.
  case misnamed(right: String)
  /// This part is needed and not there: of the file, or of what was given to open it.
  case missing(part: String)
  /// A newer or other version of the format than can be read.
  case unsupported(part: String)
  /// Larger, longer or costlier than a limit, in the unit that the part names.
  case tooLarge(part: String, limit: Int)
  /// The password, the secret or the key does not open this backup.
  case wrongSecret(part: String)
  /// A secret that cannot be one: too short, or of other characters.
  case secretForm(part: String, form: String)
  /// Something that was given cannot be taken, and what to give instead.
  case refused(part: String, advice: String)
  /// Another program is using what was given.
  case busy(part: String)
  /// Something that was given cannot be used as it is now.
  case unusable(part: String, reason: String)
  /// Nothing but the password takes part in the key: anybody may have planted this backup.
  case unhardened
  /// There is not enough memory for what the key's derivation asks for.
  case outOfMemory
  /// A shared library that this format needs is not installed, with a Debian package that brings it.
  ///
  /// Where the library's own package has another name in each release, it is the one for developers.
  case libraryMissing(name: String, package: String)

  package var description: String {
    switch self {
    case .damaged(let part): "\(part) is damaged"
    case .otherKind(let kind): "this is no \(kind)"
    case .empty(let part): "\(part) is empty"
    case .cutOff(let part): "\(part) is missing or damaged"
    case .misnamed(let right): "its name should be \(right)"
    case .missing(let part): "\(part) is missing"
    case .unsupported(let part): "\(part) is of a kind that cannot be read"
    case .tooLarge(let part, let limit): "\(part) is over the limit of \(limit)"
    case .wrongSecret(let part): "\(part) does not open this backup"
    case .secretForm(let part, let form): "\(part) has to be \(form)"
    case .refused(let part, let advice): "\(part) cannot be taken: \(advice)"
    case .busy(let part): "another program is using \(part)"
    case .unusable(let part, let reason): "\(part) cannot be used: \(reason)"
    case .unhardened: "nothing hardens this backup's key but the password"
    case .outOfMemory: "there is not enough memory to derive the key"
    case .libraryMissing(let name, let package): "\(name) is not installed (package \(package))"
    }
  }
}
