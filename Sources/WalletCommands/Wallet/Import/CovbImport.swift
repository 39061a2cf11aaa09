internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import SecretMemory
internal import Unlocking
package import WalletFormats

/// Imports Cove's `.covb`.
struct CovbImport {
  let unlock: UnlockOptions
  /// A path or `-`.
  let file: String
  let password: PasswordOptions
  /// Whether a wallet may lose the secret that the backup holds of it.
  let replaces: Bool

  func run(in world: World) async throws(UserMessage) -> ExitReason {
    // Everything that can be wrong with the file is found before the key is
    // touched.
    var problems: [String] = []
    let content = try read(world)
    var titles: [String] = []
    let entries = try entries(of: content, &titles, &problems)
    guard content.count > 0 else {
      throw UserMessage(.dataInvalid, "there is no wallet in the file")
    }
    guard entries.count > 0 else {
      throw UserMessage(
        .dataInvalid,
        "none of the file's wallets can be imported: "
          + problems.joined(separator: "; "), hint: "nothing was imported")
    }
    var opened = try await unlock.open(world, for: .writing, purpose: .writing)
    let outcome = try entries.add(to: &opened, byRecord: true, replacing: replaces) {
      version, entry in try? CovbWallet(version.entry, in: entry).digest()
    }
    let namesakes = Namesakes(of: Set(outcome.added), in: &opened)
    unlock.output(world).warn(viewProblem: opened.viewProblem)
    problems += outcome.refused.map { place in
      "\(titles[place]) was not imported: the backup holds its secret, and the file "
        + (entries.holdsSecret(place) ? "another one" : "none")
        + "; if the file is right, import it again with --replace"
    }
    let added = outcome.added
    let watchOnly = Set(
      entries.records.indices.filter { !entries.holdsSecret($0) }.map { entries.records[$0] })
    WatchOnlyMemory(opened.id, world).keep(adding: watchOnly.intersection(added))
    let unchanged = entries.count - added.count - outcome.refused.count
    let noun = added.count == 1 ? "wallet" : "wallets"
    try unlock.output(world).result(
      opened.importWords(
        added: added.count, unchanged: unchanged, of: outcome.unchanged, same: "content"),
      json: [
        "imported": .number(added.count), "unchanged": .number(unchanged),
        "watch_only": .number(watchOnly.count),
        "record_ids": .array(records(of: entries, without: outcome.refused)),
        "replaced": .array(outcome.replaced.map { .string(entries.records[$0].hex) }),
        "problems": .array(problems.map(JSONOutput.string)), "same_name": namesakes.json,
      ], ofChange: "\(added.count) \(noun) were imported all the same")
    for place in outcome.replaced {
      unlock.output(world).warn(
        "keybackup: \(titles[place]) replaced the one in the backup, which held "
          + (entries.holdsSecret(place) ? "another secret" : "its secret"))
    }
    unlock.output(world).warn(namesakes)
    unlock.output(world).note(watchOnly: watchOnly.count)
    for problem in problems { unlock.output(world).warn("keybackup: \(problem)") }
    return problems.isEmpty ? .success : .partial
  }

  private func records(of entries: borrowing NewEntries, without refused: [Int]) -> [JSONOutput] {
    entries.records.enumerated().filter { !refused.contains($0.offset) }
      .map { .string($0.element.hex) }
  }

  private func read(_ world: World) throws(UserMessage) -> CovbContent {
    let sealed = try InputFile.readSecret(file, limit: CovbFile.sizeLimit, world.streams)
    do throws(WalletFormatError) {
      try CovbFile.check(sealed)
    } catch {
      throw UserMessage(error)
    }
    let password = try CovbPassword.read(
      self.password, unlock.common.prompter(world), twice: false)
    do throws(WalletFormatError) {
      return try CovbContent(parsing: CovbFile.open(sealed, password: password))
    } catch {
      throw UserMessage(error)
    }
  }

  /// Every wallet that can be taken; `titles` receives what to call it, `problems`
  /// the others.
  private func entries(
    of content: borrowing CovbContent, _ titles: inout [String], _ problems: inout [String]
  ) throws(UserMessage) -> NewEntries {
    var entries = NewEntries()
    var seen: Set<String> = []
    for index in 0..<content.count {
      let title = CovbProblem.title(content.name(index), index + 1)
      do throws(CovbProblem) {
        let wallet = try content.wallet(index)
        guard seen.insert(wallet.walletID).inserted else {
          problems.append("\(title) is in the file twice; the first was taken")
          continue
        }
        let entry: SecretBytes
        do throws(CovbProblem) {
          entry = try wallet.entry(updatedAt: content.createdAt)
        } catch .labels {
          problems.append(
            "\(title): lines of its labels are no BIP-329 records and were left out")
          entry = try wallet.entry(updatedAt: content.createdAt, leavingOutDamagedLabels: true)
        }
        guard entry.count <= WalletBatch.entryLimit else {
          problems.append("\(title) is too large")
          continue
        }
        entries.append(
          entry, RecordID(walletID: wallet.walletID), content: wallet.digest())
        titles.append(title)
      } catch {
        problems.append("\(title) \(error.words)")
      }
      try Interruption.check()
    }
    return entries
  }
}

extension CovbProblem {
  /// A wallet's name for a message.
  package static func title(_ name: String?, _ number: Int) -> String {
    "wallet \(number)" + (name.map { " (\"\(PrintableText.name($0, limit: 40))\")" } ?? "")
  }

  /// A predicate, to be put behind the wallet's name.
  package var words: String {
    switch self {
    case .content(let reason): reason
    case .unknownSecret: "holds a secret of a kind that a newer keybackup may know"
    case .secret(let error): "cannot be taken: \(UserMessage(error).message)"
    case .privateDescriptor:
      "is a descriptor with private keys, for which the file has no place"
    case .singleDescriptor:
      "is a single descriptor; the file wants one for receiving and one for change"
    case .metadataID: "has metadata that do not name it, which the file needs"
    case .labels: "has labels that are damaged"
    }
  }
}
