package import BackupFolder
package import CSPP
package import CommandKit
internal import SecretStores

/// A keyring that holds the master key, as `status` reports it.
package struct CachedKeyReport: Sendable {
  package var place: CachedKeyPlace
  /// The namespace of the master key.
  package var namespaceID: NamespaceID
  /// Whether that is not the requested backup.
  var isOther = false
  /// The end of its time, in Unix seconds; nil if it lasts until `lock`.
  package var until: Int64?
  /// Whether the desktop's keyring is locked.
  var isLocked = false
  /// The reason why this cannot be determined.
  package var obstacle: String?

  package init(
    place: CachedKeyPlace, namespaceID: NamespaceID, isOther: Bool = false, until: Int64? = nil,
    isLocked: Bool = false, obstacle: String? = nil
  ) {
    self.place = place
    self.namespaceID = namespaceID
    self.isOther = isOther
    self.until = until
    self.isLocked = isLocked
    self.obstacle = obstacle
  }

  /// All keyrings that hold it, or the key of an earlier namespace in its folder.
  ///
  /// The desktop is queried only where `unlock --keep` was used. Nothing is unlocked and the user
  /// is not asked.
  package static func all(_ id: NamespaceID, in folder: BackupFolder, _ world: World)
    -> [CachedKeyReport]
  {
    var reports: [CachedKeyReport] = []
    func found(_ place: CachedKeyPlace, _ known: CachedMasterKey) -> CachedKeyReport {
      CachedKeyReport(
        place: place, namespaceID: known.namespaceID,
        isOther: known.namespaceID != id)
    }
    for known in (try? CachedMasterKey.inKernel(of: folder, world)) ?? [] {
      guard let key = try? known.inKernel() else { continue }
      var report = found(.kernelKeyring, known)
      report.until = world.now() + Int64(key.secondsLeft)
      reports.append(report)
    }
    for known in CachedMasterKey.marked(of: folder, world) {
      var report = found(.secretService, known)
      do throws(SecretStoreError) {
        var service = try world.secretService(mayPrompt: false)
        switch try known.lookInDesktop(&service) {
        case .absent: continue
        case .present: break
        case .locked: report.isLocked = true
        }
      } catch {
        report.obstacle = UserMessage(error, .secretService).message
      }
      reports.append(report)
    }
    return reports
  }

  package var json: JSONOutput {
    var json: JSONOutput = [
      "place": .string(place.rawValue), "namespace_id": .string(namespaceID.hex),
    ]
    json["until"] = .optional(until.map { Int($0) })
    if place == .secretService { json["locked"] = .optional(obstacle == nil ? isLocked : nil) }
    return json
  }

  package var text: String {
    (isOther ? "with the key of \(namespaceID.hex), " : "") + placeText
  }

  private var placeText: String {
    if let obstacle { return "perhaps in \(place.words): \(obstacle)" }
    if let until {
      return "in \(place.words) until \(PrintableTime.minute(UInt64(max(0, until)))) UTC"
    }
    return "in \(place.words)" + (isLocked ? ", which is locked now" : " until keybackup lock")
  }
}
