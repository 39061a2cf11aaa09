package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import Unlocking

/// `keybackup writers request`: this computer asks to become a silent writer.
package struct WritersRequestCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "request",
    abstract: "Ask that this computer may add files or wallets without a touch.",
    discussion: """
      Prints one line for keybackup writers authorise, which runs where the backup can be opened. \
      The line holds no secret. Compare the fingerprint: it proves that nobody exchanged the line.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var folder: FolderOptions
  @OptionGroup var names: WriterLabelOption
  @OptionGroup var picture: QROption

  @Flag(help: "Make a new key, even if another backup lies beside the one of this computer's.")
  var newKey = false

  package init() {}

  package mutating func validate() throws { try folder.refuseNamespace() }

  /// The silent writer whose key and files go on: a backup lies beside its own that its key does not
  /// know, as after `rotate --master-key`.
  private func known(_ folder: BackupFolder) throws(BackupFolderError) -> LocalSilentWriter? {
    if newKey { return nil }
    let writers = try folder.localSilentWriters().filter { $0.namespaceID != nil }
    guard let writer = writers.continued, let own = writer.namespaceID,
      writers.allSatisfy({ $0.namespaceID == own })
    else { return nil }
    let known = writers.reduce(into: Set([own])) { $0.formUnion($1.earlier) }
    // A computer that opens the backup also knows which ones were rotated.
    let candidates = try folder.candidates()
    return (candidates.known + candidates.unknown).contains { !known.contains($0) } ? writer : nil
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let output = common.output(world)
    let place = try folder.opened(world, output, common)
    let (before, last): (LocalSilentWriter?, LocalSilentWriter?)
    do throws(BackupFolderError) {
      before = try known(place)
      last = try place.localSilentWriters().last { $0.namespaceID != nil }
    } catch {
      throw UserMessage(error)
    }
    let label = try names.label(world, continuing: before ?? last)
    let request: WriterRequest
    do throws(BackupFolderError) {
      request = try place.requestSilentWriting(label: label, continuing: before)
    } catch {
      throw UserMessage(error)
    }
    KeptPermissions.check(secretOf: request.writerID, place, world)
    if common.json {
      try output.result(json: [
        "line": .string(request.line), "fingerprint": .string(request.fingerprint),
        "writer_id": .string(request.writerID.hex),
        "signing_key": .string(request.signingKey.hex), "label": .string(label.text),
      ])
      return .success
    }
    try output.result(
      writerLine: request.line, next: "authorise", showsPicture: picture.qr)
    output.note("Both computers show the request's fingerprint: \(request.fingerprint)")
    return .success
  }
}
