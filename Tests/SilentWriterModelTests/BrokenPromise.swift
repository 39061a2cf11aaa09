import SilentWriterModel
import Testing

/// A history that ends badly without some rules, and well with all.
struct BrokenPromise: Sendable, CustomTestStringConvertible {
  let without: [Rule]
  let history: History

  var testDescription: String { without.map(\.name).joined(separator: ", ") }

  private init(_ kind: History.Kind, _ seed: UInt64, _ steps: [Int], without: Rule...) {
    var history = History(kind, seed: seed)
    history.steps = steps
    (self.history, self.without) = (history, without)
  }

  static let all = [
    Self(.folder, 2, [15], without: .signature),
    Self(.all, 27, [4, 10], without: .authorised),
    Self(.retention, 5, [7, 12], without: .may),
    Self(.folder, 527, [0, 6, 9], without: .after),
    Self(.folder, 142, [21, 23], without: .spelling),
    Self(.disks, 1, [16], without: .objectFirst),
    Self(.folder, 65, [3, 9], without: .operationRemembered),
    Self(.disks, 1, [16], without: .publishedAgain),
    Self(.all, 6, [42, 44], without: .objectLeft),
    Self(.disks, 64, [17, 18], without: .finishedFirst),
    Self(.folder, 2, [15, 17], without: .ownBySignature),
    Self(.rotation, 4, [3, 5, 7], without: .neverStops),
    Self(.thief, 164, [15, 19, 24], without: .counterLimit),
    Self(.thief, 472, [0, 1, 3], without: .coversNothing),
    Self(.disks, 71, [20, 21, 23], without: .filesNotByCoverage),
    Self(.rotation, 32, [2, 5, 16], without: .sameKey),
    Self(.disks, 71, [20, 21, 23], without: .replacesOwnLast),
    Self(.rotation, 273, [1, 3, 12, 13, 20], without: .madeStays),
    Self(.retention, 12, [23, 25, 26], without: .madeNotSealed),
    Self(.thief, 2271, [12, 19, 20, 22, 23], without: .onePut),
    Self(.all, 1252, [17, 18, 20, 37, 41], without: .acrossNamespaces),
    Self(.rotation, 1054, [2, 8, 9, 10, 17, 18, 19, 20, 25], without: .findings),
    Self(.rotation, 1845, [1, 5, 13, 20, 26, 27], without: .decisionsByName),
    Self(.rotation, 1845, [1, 5, 13, 20, 26, 27], without: .settledByPut),
    Self(.plain, 14, [13, 14], without: .walletsOnlyAdd),
    Self(.plain, 14, [13, 14], without: .proposals),
    Self(.thief, 787, [13, 22, 23, 25], without: .pieces),
    Self(.retention, 54, [3, 43, 45, 52], without: .retireByKey),
    Self(.all, 34, [8, 30, 31, 38], without: .retireFollowed),
    Self(.all, 34, [8, 30, 31, 38], without: .retireUnnamed),
    Self(.thief, 91, [1, 2, 4, 5, 6, 9], without: .everyRetirement),
    Self(.rotation, 4, [14, 15], without: .heldBackShown),
    Self(.thief, 451, [6, 10, 17, 39], without: .coveredByHash),
    Self(.rotation, 606, [6, 8, 9], without: .wishes),
    Self(.retention, 250, [21, 23, 40, 41], without: .neverReturns),
    Self(
      .rotation, 1068, [1, 2, 4, 5, 7, 8, 9, 11, 12, 13, 14, 16, 18, 22, 23, 29, 30],
      without: .gapAdopt),
    Self(.rotation, 15713, [1, 3, 4, 8, 15, 22, 24], without: .findingsHeldBack),
    Self(.disks, 1, [16, 19, 20], without: .restorable),
    Self(.retention, 194, [24, 30, 34, 35], without: .newerCount),
    Self(.retention, 124, [33, 37, 43, 45, 48, 56], without: .replacedLongEnough),
    Self(.retention, 2420, [6, 8, 16, 17, 21, 22, 25, 28], without: .dayAtMost),
    Self(.retention, 1097, [36, 37, 47, 48, 63, 64, 65], without: .smallKept),
    Self(.all, 13, [4, 14, 20], without: .notTheSilent),
    Self(.all, 13, [4, 5, 37], without: .carriedEnds),
    Self(.all, 13, [4, 5, 37], without: .onlyAdds),
    Self(.all, 111, [38, 42, 50], without: .madeIgnored),
    Self(.all, 59440, [6, 8, 12, 16, 17, 19, 30, 35, 36, 40, 43], without: .retirementsCarried),
    Self(.all, 615, [18, 21, 22, 29, 30, 35, 37, 47], without: .adoptedLists),
    Self(.rotation, 151, [6, 13, 16, 17], without: .lateReplaces),
    Self(.rotation, 2538, [7, 13, 14, 19, 29], without: .adoptedFirst),
    Self(.all, 6, [17, 20, 24], without: .objectsCopied),
    Self(.rotation, 999, [0, 1, 8, 9, 10, 11], without: .begunAgain),
    Self(.folder, 2, [23, 24], without: .staysAfterRotation),
    Self(
      .rotation, 3211, [0, 5, 6, 7, 9, 11, 15, 16, 18, 19, 21, 22, 23, 25], without: .retiresNothing
    ),
    Self(.plain, 1, [16], without: .objectLeft, .objectKept),
    Self(.all, 5045, [6, 7, 20, 21, 22, 36], without: .cycles, .gapSettle),
    Self(.all, 3322, [2, 6, 8, 10, 11, 25, 26, 28, 29, 32, 63], without: .untoldCarriesNothing),
    Self(.rotation, 630, [4, 6, 11, 13, 15, 16], without: .gapRotate),
  ]
}
