internal import SecretStores

/// A place that knows the master key, as `status` tells of it.
struct KnownPlaceReport: Sendable {
  var place: KnownPlace
  /// Until when, Unix seconds; nil: until `lock`.
  var until: Int64?
  /// Whether the desktop's keyring is locked.
  var isLocked = false
  /// Why it cannot be told.
  var obstacle: String?

  /// All that know it.
  ///
  /// The desktop is asked only where `unlock --keep` was used; nothing is
  /// unlocked and nobody asked.
  static func all(_ known: KnownMasterKey, _ world: World) -> [KnownPlaceReport] {
    var reports: [KnownPlaceReport] = []
    if let found = try? known.inKernel() {
      let until = world.now() + Int64(found.secondsLeft)
      reports.append(KnownPlaceReport(place: .kernelKeyring, until: until))
    }
    guard known.mayBeInDesktop else { return reports }
    do throws(SecretStoreError) {
      var service = try world.secretService(mayPrompt: false)
      switch try known.lookInDesktop(&service) {
      case .absent: break
      case .present: reports.append(KnownPlaceReport(place: .secretService))
      case .locked: reports.append(KnownPlaceReport(place: .secretService, isLocked: true))
      }
    } catch {
      reports.append(
        KnownPlaceReport(
          place: .secretService, obstacle: UserMessage(error, .secretService).message))
    }
    return reports
  }

  var json: JSONValue {
    var json: JSONValue = ["place": .string(place.rawValue)]
    json["until"] = .optional(until.map { Int($0) })
    if place == .secretService { json["locked"] = .optional(obstacle == nil ? isLocked : nil) }
    return json
  }

  var text: String {
    if let obstacle { return "perhaps in \(place.words): \(obstacle)" }
    if let until {
      return "in \(place.words) until \(PrintableTime.minute(UInt64(max(0, until)))) UTC"
    }
    return "in \(place.words)" + (isLocked ? ", which is locked now" : " until keybackup lock")
  }
}
