import ForeignBackups
import SecretMemory

/// A file of Celo's encrypted backup, with all that is said of it without a secret.
enum CeloTarget {
  static func run(_ bytes: [UInt8]) -> Bool {
    guard let backup = try? unsafe CeloBackup(parsing: bytes.span.bytes) else { return false }
    must((try? backup.hardening?.check()) != nil || backup.hardening == nil, "costs unchecked")
    let text = Array(backup.json.utf8)
    let again = try? unsafe CeloBackup(parsing: text.span.bytes)
    must(again?.json == backup.json, "a file changes when it is written")
    must(again?.dataSize == backup.dataSize, "another size")
    if let domain = backup.odisDomain {
      must(again?.odisDomain?.hash == domain.hash, "another domain")
      let quota = domain.quota(from: 1 << 30)
      let times = domain.schedule(from: 1 << 30, limit: 64)
      must(quota.queries >= UInt64(times.count), "more times than queries")
      must(quota.seconds >= times.last ?? 0, "times after the last")
      for kind in [.quota, .disable, .sign(blindedMessage: "")] as [ODISRequest.Kind] {
        let request = try? ODISRequest(kind, for: backup, counter: 1, session: nil)
        must(request != nil, "no request")
      }
    }
    // Costs are the caller's to pay; without them a wrong password is tried.
    guard backup.hardening == nil else { return true }
    let opening = try? CeloOpening(
      backup, password: secret([1]), fuseKey: secret([UInt8](repeating: 2, count: 16)),
      allowsUnhardened: true)
    guard let opening else {
      must(false, "a file that was read is not tried")
      return true
    }
    let opened = try? opening.open(odisOutput: secret([UInt8](repeating: 3, count: 32)))
    must(opened == nil, "a tag by chance")
    return true
  }
}
